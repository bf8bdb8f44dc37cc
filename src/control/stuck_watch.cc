#include "control/stuck_watch.h"

#include <utility>

#include "control/quiet_thread.h"

namespace pairbench {

StuckWatch::StuckWatch()
    : thread_(start_quiet_thread([this](const std::stop_token& stop) { run(stop); })) {}

StuckWatch::~StuckWatch() = default;

void StuckWatch::set(std::chrono::nanoseconds grace, Callback callback) {
  const std::lock_guard lock(mutex_);
  grace_ = grace;
  callback_ = std::move(callback);
  changed_.notify_all();
}

void StuckWatch::ended(const Failure& why) {
  const std::lock_guard lock(mutex_);
  if (why_) return;
  why_ = why;
  seen_ = Deadline::Clock::now();
  changed_.notify_all();
}

void StuckWatch::owner_seen() {
  const std::lock_guard lock(mutex_);
  seen_ = Deadline::Clock::now();
}

void StuckWatch::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return why_ && callback_; }) &&
         !stop.stop_requested()) {
    const auto due = seen_ + grace_;
    if (Deadline::Clock::now() >= due) {
      const Callback callback = std::exchange(callback_, nullptr);
      const Failure why = *why_;
      lock.unlock();
      callback(why);
      return;
    }
    changed_.wait_until(lock, stop, due, [&] { return !callback_ || seen_ + grace_ != due; });
  }
}

}  // namespace pairbench
