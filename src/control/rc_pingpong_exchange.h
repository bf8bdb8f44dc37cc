// The way in which rdma-core's ibv_rc_pingpong exchanges addresses: TCP, one line each way, "done".
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/deadline.h"
#include "control/socket.h"

namespace pairbench {

inline constexpr std::uint16_t kRcPingpongPort = 18515;

// What travels: "LID:QPN:PSN:GID" in hexadecimal digits of fixed width.
struct RcPingpongAddress {
  std::uint16_t lid = 0;
  std::uint32_t queue_pair = 0;
  std::uint32_t first_packet = 0;
  std::array<std::uint8_t, 16> gid{};

  bool operator==(const RcPingpongAddress&) const = default;
};

std::string to_wire(const RcPingpongAddress& address);
// nullopt where the text is no such line.
std::optional<RcPingpongAddress> from_wire(std::string_view text);

// One end of the exchange; the socket stays open until the measurement has ended. Every step has a
// deadline. Errors are Error(peer, connect or hello) that name the host.
class RcPingpongExchange {
 public:
  // As the client, to `host`; as the server where that is empty, waiting for a client. `stop` ends
  // this and every later wait with an Error, and outlives the exchange.
  RcPingpongExchange(const std::string& host, std::uint16_t port, const std::atomic<bool>& stop);

  bool is_client() const { return is_client_; }
  const std::string& peer() const { return peer_; }  // "10.0.0.2:41234"

  // Client: tells its own address and learns the server's. Server: the other way round, in two
  // steps, since its queue pair must be ready before the client learns of it.
  RcPingpongAddress trade(const RcPingpongAddress& own);  // client
  RcPingpongAddress learn();                              // server
  void tell(const RcPingpongAddress& own);                // server

 private:
  void write(std::string_view text);
  std::string read(std::size_t length);
  void await(short events, const Deadline& end);

  bool is_client_;
  const std::atomic<bool>& stop_;
  std::string peer_;
  Fd socket_;
};

}  // namespace pairbench
