// Notices that the thread that owns a channel hangs elsewhere after the channel has ended.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "base/deadline.h"
#include "base/error.h"

namespace pairbench {

// Has a thread of its own, asleep until the channel ends. Any thread may call any function.
class StuckWatch {
 public:
  using Callback = std::function<void(const Failure&)>;

  StuckWatch();
  ~StuckWatch();
  StuckWatch(const StuckWatch&) = delete;
  StuckWatch& operator=(const StuckWatch&) = delete;

  // What to do, once, when the owner has not been seen for `grace` after the end. Empty: nothing.
  void set(std::chrono::nanoseconds grace, Callback callback);

  // The channel has ended, and why. The first reason stands.
  void ended(const Failure& why);

  // The owner thread is at the channel just now: grace starts anew.
  void owner_seen();

 private:
  void run(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::chrono::nanoseconds grace_{0};
  Callback callback_;
  std::optional<Failure> why_;
  Deadline::Clock::time_point seen_;
  std::jthread thread_;  // last: the others exist before it starts and after it ended
};

}  // namespace pairbench
