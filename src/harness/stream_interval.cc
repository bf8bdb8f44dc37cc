#include "harness/stream_interval.h"

#include <algorithm>

#include "stats/steady_interval.h"

namespace pairbench {
namespace {

std::optional<SteadyInterval> whole(std::span<const Checkpoint> stamps) {
  return steady_interval(stamps, 0, UINT64_MAX);
}

// A receiver that was held up drains what has piled up at the speed of memory: a part that is short
// against the whole says nothing of the stream.
bool is_long_enough(const SteadyInterval& part, std::span<const Checkpoint> stamps) {
  constexpr double kLeastShare = 0.5;
  const Ticks all = stamps.back().at - stamps.front().at;
  return static_cast<double>(part.ticks()) >= kLeastShare * static_cast<double>(all);
}

// A window's messages may all be waiting when a receiver that was held up looks.
bool is_many_windows(const Case& c) {
  constexpr std::uint64_t kFewest = 4;
  return *c.iterations >= kFewest * c.window;
}

std::optional<SteadyInterval> steady(const Case& c, std::span<const Checkpoint> stamps,
                                     std::uint64_t total, const ClockScale& clock) {
  if (stamps.empty()) return std::nullopt;
  const double ramp_ns = kRampShare * static_cast<double>(c.duration.count());
  const Ticks ramp_until = stamps.front().at + static_cast<Ticks>(ramp_ns / clock.ns_per_tick);
  const auto part = steady_interval(stamps, ramp_until, total - std::min(total, c.window));
  return part && is_long_enough(*part, stamps) ? part : std::nullopt;
}

}  // namespace

StreamInterval stream_interval(const Case& c, std::span<const Checkpoint> stamps,
                               std::uint64_t total, const ClockScale& clock) {
  const auto part = c.iterations ? std::nullopt : steady(c, stamps, total, clock);
  const auto interval = part ? part : whole(stamps);
  StreamInterval result;
  result.steady = c.iterations ? is_many_windows(c) : part.has_value();
  if (!interval) return result;
  result.messages = interval->messages();
  result.bytes = interval->messages() * c.size_bytes;
  result.ns = clock.to_ns(interval->ticks());
  return result;
}

}  // namespace pairbench
