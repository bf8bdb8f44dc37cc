#include "stats/steady_interval.h"

#include <algorithm>

namespace pairbench {

std::optional<SteadyInterval> steady_interval(std::span<const Checkpoint> checkpoints,
                                              Ticks ramp_until, std::uint64_t last_steady_message) {
  const auto first = std::partition_point(checkpoints.begin(), checkpoints.end(),
                                          [=](const Checkpoint& c) { return c.at < ramp_until; });
  const auto end = std::partition_point(first, checkpoints.end(), [=](const Checkpoint& c) {
    return c.messages <= last_steady_message;
  });
  if (end - first < 2) return std::nullopt;
  const SteadyInterval interval{*first, *(end - 1)};
  if (interval.messages() == 0 || interval.ticks() == 0) return std::nullopt;
  return interval;
}

}  // namespace pairbench
