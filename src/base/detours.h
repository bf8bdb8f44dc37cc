// Gaps in a spinning thread's time: what interrupts, the scheduler and the hypervisor take from it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"

namespace pairbench {

struct Detours {
  double spun_ns = 0;
  double threshold_ns = 0;
  std::uint64_t count = 0;  // gaps between two readings longer than the threshold
  double longest_ns = 0;    // of all gaps
  double total_ns = 0;      // of those counted

  double share() const { return spun_ns > 0 ? total_ns / spun_ns : 0; }
  bool operator==(const Detours&) const = default;
};

// Reads the clock over and over for `spin` and counts the gaps longer than `threshold`.
template <Clock C>
Detours find_detours(const C& clock, const ClockScale& scale, Ticks spin, Ticks threshold) {
  Detours found;
  Ticks total = 0;
  Ticks longest = 0;
  const Ticks start = clock.now();
  Ticks last = start;
  while (last - start < spin) {
    const Ticks now = clock.now();
    const Ticks gap = now - last;
    last = now;
    longest = std::max(longest, gap);
    if (gap > threshold) {
      ++found.count;
      total += gap;
    }
  }
  found.spun_ns = scale.to_ns(last - start);
  found.threshold_ns = scale.to_ns(threshold);
  found.longest_ns = scale.to_ns(longest);
  found.total_ns = scale.to_ns(total);
  return found;
}

}  // namespace pairbench
