// What the environment asks of the device. README.md lists the variables; their defaults are here.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "soft_efa/status.h"

namespace pairbench::soft_efa {

// What the device does without the host's CPU.
enum class Rdma : std::uint8_t { none, read, write };  // write: read as well

enum class Event : std::uint8_t { send, receive };
enum class Effect : std::uint8_t { none, drop, delay, status };

// What becomes of a send that was posted, or of a request that arrived.
struct Fate {
  Effect effect = Effect::none;
  std::chrono::microseconds delay{0};
  Status status = Status::ok;
};

// Holds for the events `first` to `last` of the process, counted from 1.
struct ScriptedFault {
  Event event;
  std::uint64_t first;
  std::uint64_t last;
  Fate fate;
};

struct Settings {
  std::string host = "host";
  unsigned devices = 1;
  Rdma rdma = Rdma::read;
  unsigned mtu_bytes = 8928;
  unsigned send_queue = 1024;
  unsigned receive_queue = 1024;
  unsigned inline_bytes = 32;
  bool counts_locked_memory = false;

  std::uint64_t seed = 1;
  unsigned reorder_percent = 0;
  std::chrono::microseconds reorder_time{1000};
  unsigned not_ready_percent = 0;
  unsigned refuse_percent = 0;
  std::chrono::microseconds answer_delay{0};
  std::chrono::milliseconds timeout{5000};
  std::vector<ScriptedFault> script;

  std::string counters;  // a file; empty: none
};

inline constexpr unsigned kMaxDevices = 16;
inline constexpr unsigned kMaxInlineBytes = 64;

// From environment strings ("NAME=value", null at the end). Throws std::invalid_argument naming
// the variable: for a value that does not fit, and for an unknown name that begins with SOFT_EFA_,
// since a fault that is misspelt would never strike.
Settings settings_from(const char* const* environment);

// send:3:status:9,receive:50+:drop
std::vector<ScriptedFault> parse_script(std::string_view text);

// This process's, read from the environment at its first use. The tests change it.
Settings& settings();

}  // namespace pairbench::soft_efa
