#include "control/queued_channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/units.h"
#include "control/messages.h"

namespace pairbench {
namespace {

constexpr std::chrono::milliseconds kProgressInterval{10};

}  // namespace

QueuedChannel::QueuedChannel(std::string address) : address_(std::move(address)) {}

Message QueuedChannel::receive(Phase phase, Deadline deadline,
                               const std::function<void()>& progress) {
  const auto start = Deadline::Clock::now();
  std::unique_lock lock(mutex_);
  phase_ = phase;
  for (;;) {
    watch_.owner_seen();
    if (signal_) throw Interrupted(*signal_);
    if (!queue_.empty()) {
      Queued first = std::move(queue_.front());
      queue_.pop_front();
      queued_bytes_ -= first.bytes;
      return std::move(first.message);
    }
    throw_end(phase);
    if (deadline.passed()) throw_late(phase, deadline.when() - start);
    if (!progress) {
      changed_.wait_until(lock, deadline.when());
      continue;
    }
    const auto wake = std::min(deadline.when(), Deadline::Clock::now() + kProgressInterval);
    if (changed_.wait_until(lock, wake) == std::cv_status::no_timeout) continue;
    lock.unlock();
    progress();
    lock.lock();
  }
}

std::string QueuedChannel::peer_name() const {
  const std::lock_guard lock(mutex_);
  return name_locked();
}

void QueuedChannel::set_peer_name(std::string name) {
  const std::lock_guard lock(mutex_);
  name_ = shortened(name);
}

std::string QueuedChannel::name_locked() const {
  if (name_.empty()) return address_;
  return address_.empty() ? name_ : fmt::format("{} ({})", name_, address_);
}

void QueuedChannel::throw_if_interrupted(Phase phase) {
  watch_.owner_seen();
  const std::lock_guard lock(mutex_);
  phase_ = phase;
  if (signal_) throw Interrupted(*signal_);
  throw_end(phase);
}

void QueuedChannel::throw_if_ended() {
  watch_.owner_seen();
  const std::lock_guard lock(mutex_);
  throw_end(phase_);
}

bool QueuedChannel::ended() const {
  const std::lock_guard lock(mutex_);
  return end_.has_value();
}

void QueuedChannel::throw_end(Phase phase) const {
  if (!end_) return;
  Failure failure = *end_;
  if (!end_phase_known_) failure.phase = phase;
  if (failure.host.empty()) failure.host = name_locked();
  throw Error(std::move(failure));
}

void QueuedChannel::throw_late(Phase phase, std::chrono::nanoseconds waited) const {
  const auto whole = std::chrono::round<std::chrono::milliseconds>(waited);
  Failure failure;
  failure.status = ExitStatus::peer;
  failure.phase = phase;
  failure.message = fmt::format("no answer in {} (awaited in phase {})", format_duration(whole),
                                to_string(phase));
  failure.host = name_locked();
  failure.cause = "the control connection is up, but the peer does not go on";
  failure.hint =
      "its measuring thread hangs or is very slow; a longer --peer-timeout gives it time";
  throw Error(std::move(failure));
}

void QueuedChannel::interrupt(int signal_number) {
  const std::lock_guard lock(mutex_);
  if (signal_) return;
  signal_ = signal_number;
  interrupted_.store(true, std::memory_order_relaxed);
  changed_.notify_all();
  Failure failure;
  failure.phase = phase_;
  failure.message = fmt::format("interrupted by signal {}", signal_number);
  watch_.ended(failure);
}

void QueuedChannel::on_stuck(std::chrono::nanoseconds grace,
                             std::function<void(const Failure&)> callback) {
  watch_.set(grace, std::move(callback));
}

void QueuedChannel::deliver(Message message, std::size_t bytes) {
  try {
    if (message.type == wire::Heartbeat::kType) return;
    if (message.type == wire::Bye::kType)
      return lose("it ended the session", "its own output says why");
    if (message.type == wire::FailureNotice::kType)
      return end(from_message<wire::FailureNotice>(message).failure, true);
    if (message.type == wire::Sent::kType)
      return peer_sent_.store(from_message<wire::Sent>(message).messages,
                              std::memory_order_relaxed);
  } catch (const Error& malformed) {
    return end(malformed.failure(), false);
  }
  if (!enqueue({std::move(message), bytes}))
    lose("it sent more messages than the protocol allows",
         "is the same pairbench at the other end?");
}

bool QueuedChannel::enqueue(Queued queued) {
  const std::lock_guard lock(mutex_);
  if (end_) return true;
  if (queue_.size() == kMaxQueued) return false;
  if (!queue_.empty() && queued_bytes_ + queued.bytes > kMaxQueuedBytes) return false;
  queued_bytes_ += queued.bytes;
  queue_.push_back(std::move(queued));
  changed_.notify_all();
  return true;
}

void QueuedChannel::lose(const std::string& how, const std::string& hint) {
  Failure failure;
  failure.status = ExitStatus::peer;
  failure.message = "lost the peer: " + how;
  failure.hint = hint;
  end(std::move(failure), false);
}

void QueuedChannel::end(Failure failure, bool phase_known) {
  const std::lock_guard lock(mutex_);
  if (end_) return;
  if (!phase_known) failure.phase = phase_;
  end_ = std::move(failure);
  end_phase_known_ = phase_known;
  interrupted_.store(true, std::memory_order_relaxed);
  changed_.notify_all();
  Failure why = *end_;
  if (why.host.empty()) why.host = name_locked();
  watch_.ended(why);
}

}  // namespace pairbench
