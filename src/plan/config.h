// What was asked. The member initialisers are the only place of defaults.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "plan/transport_spec.h"
#include "transport/capabilities.h"

namespace pairbench {

enum class Test { pingpong, stream, bistream };
enum class CompletionMode { poll, yield, event };
enum class Preset { smoke, quick, full };

std::string_view to_string(Test test);
std::string_view to_string(CompletionMode mode);
std::string_view to_string(Preset preset);
// The inverse; throw a usage Error that lists the names.
Test parse_test(std::string_view text);
CompletionMode parse_completion_mode(std::string_view text);
Preset parse_preset(std::string_view text);

struct InlineChoice {
  bool automatic = true;
  std::uint64_t limit = 0;  // when not automatic; 0 is off

  bool operator==(const InlineChoice&) const = default;
};

// Unset optionals take the preset's value (make_plan resolves them).
struct Config {
  std::vector<TransportSpec> transports;
  Preset preset = Preset::quick;
  std::optional<std::vector<Test>> tests;
  std::optional<std::vector<std::uint64_t>> sizes;
  std::optional<std::uint64_t> iterations;           // excludes duration
  std::optional<std::chrono::nanoseconds> duration;  // of each case and repeat
  std::optional<std::uint64_t> warmup_iterations;    // explicit, 0 honoured
  std::optional<int> repeats;
  std::uint64_t window = 64;
  std::optional<std::uint64_t> rx_depth;      // max(512, window)
  std::optional<std::uint64_t> refill_at;     // rx_depth - 1
  std::optional<std::uint64_t> signal_every;  // Plan::kSignalEvery where completions are ordered
  InlineChoice inline_choice;
  CompletionMode completion = CompletionMode::poll;
  PathOptions path;
  bool check = false;
  std::optional<int> initiator_cpu;
  std::optional<int> responder_cpu;
  ClockChoice clock = ClockChoice::automatic;
  std::chrono::nanoseconds peer_timeout = std::chrono::seconds(10);
  std::chrono::nanoseconds connect_retry{0};
  std::uint64_t seed = 1;
};

}  // namespace pairbench
