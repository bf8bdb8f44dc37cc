// Measuring against other programs, in their own way of getting acquainted.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace pairbench {

// The options that rdma-core's ibv_rc_pingpong has too, with its defaults.
struct RcPingpongRequest {
  std::string host;  // empty: be the server
  std::uint16_t port = 18515;
  std::string device;  // empty: choose
  std::optional<int> device_port;
  std::optional<int> gid_index;
  std::uint64_t size_bytes = 4096;
  std::uint64_t rx_depth = 500;
  std::uint64_t iterations = 1000;
  int mtu_bytes = 1024;
};

// Plays ping-pong with ibv_rc_pingpong (or another of this program) and says, line by line, both
// addresses, the two lines of figures that ibv_rc_pingpong prints, and the quantiles of the round
// trips. A peer that says nothing more for `patience` is an error. Throws Error.
void rc_pingpong(const RcPingpongRequest& request,
                 const std::function<void(const std::string&)>& say, const std::atomic<bool>& stop);

}  // namespace pairbench
