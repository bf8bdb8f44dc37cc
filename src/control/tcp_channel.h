// A channel over a connected TCP socket.
#pragma once

#include <chrono>
#include <memory>

#include "control/protocol.h"
#include "control/queued_channel.h"
#include "control/socket.h"

namespace pairbench {

// The knock has gone over the socket already; from here on there are frames. A thread of the
// channel's own reads and writes, sends a heartbeat every `heartbeat`, and takes the peer for lost
// at once on end of file or reset, and when no byte arrived for the peer timeout (but not sooner
// than three heartbeats).
class TcpChannel : public QueuedChannel {
 public:
  explicit TcpChannel(Fd socket, std::chrono::nanoseconds heartbeat = kHeartbeat);
  // Says goodbye, and waits at most kFlushLimit until the peer's host has everything that was sent.
  ~TcpChannel() override;

  void send(const Message& message) override;
  // May be called from any thread.
  void fail(const Failure& failure) override;
  void set_peer_timeout(std::chrono::nanoseconds timeout) override;

  static constexpr std::chrono::seconds kFlushLimit{1};
  static constexpr std::chrono::seconds kDefaultPeerTimeout{10};

 private:
  class Wire;
  std::unique_ptr<Wire> wire_;
};

}  // namespace pairbench
