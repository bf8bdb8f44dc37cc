// A stream's bandwidth: what the receiver counted between two of its own stamps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/checkpoint.h"
#include "base/clock.h"
#include "plan/plan.h"

namespace pairbench {

struct StreamInterval {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::optional<double> ns;  // null: too few messages for an interval
  bool steady = true;        // false: it says little of the stream
};

// Share of a timed stream that the ramp takes before its steady part, on top of the duration asked
// for.
inline constexpr double kRampShare = 0.1;

// With iterations: from the first stamp to the last; not steady below four windows. With a
// duration: without the ramp at the start and without the last window, in which the sender no
// longer refilled; where nothing is left, again all of it, and not steady.
StreamInterval stream_interval(const Case& c, std::span<const Checkpoint> stamps,
                               std::uint64_t total, const ClockScale& clock);

}  // namespace pairbench
