// What both channels share: the queue between the channel's own thread and the owner thread, the
// end of the conversation and its reason, and the watch over an owner that hangs elsewhere.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "control/channel.h"
#include "control/protocol.h"
#include "control/stuck_watch.h"

namespace pairbench {

class QueuedChannel : public Channel {
 public:
  Message receive(Phase phase, Deadline deadline,
                  const std::function<void()>& progress = nullptr) override;
  std::string peer_name() const override;
  void set_peer_name(std::string name) override;
  void throw_if_interrupted(Phase phase) override;
  void interrupt(int signal_number) override;
  void on_stuck(std::chrono::nanoseconds grace,
                std::function<void(const Failure&)> callback) override;

 protected:
  // `address` names the peer as long as its host name is unknown, and stays beside it in
  // parentheses.
  explicit QueuedChannel(std::string address);

  // For any thread: what the peer sent, and how long that was on the wire. Control frames
  // (heartbeat, sent, failure, bye) take effect at once, all others queue. Whatever follows the end
  // is dropped.
  void deliver(Message message, std::size_t bytes = 0);

  // For any thread: the conversation has ended; `how` completes "lost the peer: …". The first
  // reason stands.
  void lose(const std::string& how, const std::string& hint = {});

  // For the owner thread at the entry of send: throws Error(peer) when the conversation has ended.
  void throw_if_ended();

  bool ended() const;

 private:
  // More than the lock-step of the protocol ever queues.
  static constexpr std::size_t kMaxQueued = 256;
  static constexpr std::size_t kMaxQueuedBytes = kMaxFrame;  // one message may have more, alone

  struct Queued {
    Message message;
    std::size_t bytes = 0;
  };

  void end(Failure failure, bool phase_known);
  bool enqueue(Queued queued);  // false: no room
  // These hold the lock.
  std::string name_locked() const;
  void throw_end(Phase phase) const;
  [[noreturn]] void throw_late(Phase phase, std::chrono::nanoseconds waited) const;

  const std::string address_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string name_;
  std::deque<Queued> queue_;
  std::size_t queued_bytes_ = 0;
  std::optional<int> signal_;
  std::optional<Failure> end_;
  bool end_phase_known_ = false;
  Phase phase_ = Phase::connect;  // the latest that the owner named
  StuckWatch watch_;
};

}  // namespace pairbench
