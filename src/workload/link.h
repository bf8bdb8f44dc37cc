// What a workload may know of the world outside its endpoint: whether to stop, and a stream's final
// count.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "base/deadline.h"

namespace pairbench {

inline constexpr std::uint64_t kNotAnnounced = UINT64_MAX;

// The end that a block has even where the peer sends for ever.
struct TimeLimit {
  Deadline end = Deadline::never();
  std::chrono::nanoseconds longest{0};  // what it was from the start
};

struct Link {
  // Set by another thread when the peer is lost, reports an error, or the user interrupts.
  const std::atomic<bool>& interrupted;
  // The peer's final count of sent messages of this block; kNotAnnounced until it tells.
  const std::atomic<std::uint64_t>& peer_sent;
  // Tells the peer our own final count. Called once a block at most, outside the timed interval.
  std::function<void(std::uint64_t)> announce_sent;
  // No completion for so long, while one is due, is an error.
  std::chrono::nanoseconds peer_timeout;
  // Give up the CPU on an empty poll.
  bool yield = false;
  // Sleep on the endpoint after an empty poll, where it can.
  bool sleep = false;
  // How errors name the peer.
  std::string peer_name = {};
  // Of the present block; set by the measuring thread before it.
  TimeLimit limit = {};
};

}  // namespace pairbench
