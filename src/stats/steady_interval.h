// The steady part of a stream, between two stamps of the receiver's clock.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/checkpoint.h"
#include "base/clock.h"

namespace pairbench {

struct SteadyInterval {
  Checkpoint first;
  Checkpoint last;

  std::uint64_t messages() const { return last.messages - first.messages; }
  Ticks ticks() const { return last.at - first.at; }
};

// From the first checkpoint at or after `ramp_until` to the last whose count does not exceed
// `last_steady_message` (what the sender had sent when it stopped refilling, less the window).
// `checkpoints` ascend in both fields. nullopt unless messages and time lie between the two.
std::optional<SteadyInterval> steady_interval(std::span<const Checkpoint> checkpoints,
                                              Ticks ramp_until, std::uint64_t last_steady_message);

}  // namespace pairbench
