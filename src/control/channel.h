// The control plane: typed JSON messages between the two ends of a session, while a thread of the
// channel's own keeps the peer alive and notices its death. Cold: one virtual call per message.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/deadline.h"
#include "base/error.h"

namespace pairbench {

using Json = nlohmann::ordered_json;

struct Message {
  std::string type;  // "hello", "plan", …: control/messages.h
  Json body;
};

// Owner: one thread sends and receives; `interrupted`, `peer_sent` and interrupt() belong to any
// thread.
class Channel {
 public:
  virtual ~Channel() = default;

  // Queues the message and returns. Throws Error(peer) when the peer is already lost.
  virtual void send(const Message& message) = 0;

  // The next message. While it waits it calls `progress` (if given) about every 10 ms, so that
  // endpoints with manual progress stay alive. Throws Error(peer, phase): when the peer is lost or
  // silent, naming it and saying how it was lost; the peer's own Failure (with its host name) when
  // it sent one; after `deadline`, naming what was awaited. Throws Interrupted after interrupt().
  virtual Message receive(Phase phase, Deadline deadline,
                          const std::function<void()>& progress = nullptr) = 0;

  // Tells the peer why this end gives up; best effort, flushed before it returns (at most one
  // second).
  virtual void fail(const Failure& failure) = 0;

  // How errors name the peer: "nodeB (10.0.0.2:18600)".
  virtual std::string peer_name() const = 0;
  // After the greeting the peer's host name is known.
  virtual void set_peer_name(std::string name) = 0;

  // The peer timeout, agreed with the plan; before that 10 s.
  virtual void set_peer_timeout(std::chrono::nanoseconds timeout) = 0;

  // Set once when the peer is lost (end of file, reset, no frame for the peer timeout), when it
  // sent a failure, or by interrupt(). Measuring loops look at it.
  const std::atomic<bool>& interrupted() const { return interrupted_; }
  // The count in the last "sent" message; those messages never reach receive(). Reset per block.
  const std::atomic<std::uint64_t>& peer_sent() const { return peer_sent_; }
  void reset_peer_sent() { peer_sent_.store(UINT64_MAX, std::memory_order_relaxed); }

  // Why `interrupted` was set, as the exception to throw: Error for a lost or failed peer,
  // Interrupted for a signal. Returns normally if it was not set.
  virtual void throw_if_interrupted(Phase phase) = 0;

  // Sets `interrupted`; wakes receive(). Async-signal-unsafe: called from a signal-waiting thread.
  virtual void interrupt(int signal_number) = 0;

  // Called once, by a thread of the channel's own, when the owner thread has not returned to the
  // channel (send, receive, throw_if_interrupted, destructor) within `grace` after the peer was
  // lost or interrupt(): a library hangs inside a call. The callback saves and ends the process; it
  // sees no file opened since the channel was made.
  // Grace starts anew with each such return until the channel is destroyed, since a library may as
  // well hang while the owner cleans up; an empty callback takes it back.
  virtual void on_stuck(std::chrono::nanoseconds grace,
                        std::function<void(const Failure&)> callback) = 0;

 protected:
  std::atomic<bool> interrupted_{false};
  std::atomic<std::uint64_t> peer_sent_{UINT64_MAX};
};

// The user's Ctrl-C (or TERM, HUP) ended a wait.
class Interrupted : public std::exception {
 public:
  explicit Interrupted(int signal_number) : signal_number_(signal_number) {}
  int signal_number() const noexcept { return signal_number_; }
  const char* what() const noexcept override { return "interrupted"; }

 private:
  int signal_number_;
};

}  // namespace pairbench
