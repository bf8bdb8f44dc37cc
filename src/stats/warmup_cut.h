// Where the warm-up ends, judged from the measurements themselves.
#pragma once

#include <cstddef>
#include <span>

#include "base/clock.h"

namespace pairbench {

struct WarmupCut {
  std::size_t samples = 0;  // to leave out at the front
  bool converged = true;    // false: the figures were still moving half-way through
};

// The d that minimises MSER(d) = sum over i > d of (y_i - mean)^2 / (b - d)^2 among the first half
// of b values (White, Simulation 69(6), 1997). Not converged when the minimum lies at the end of
// that half.
WarmupCut mser_cut(std::span<const double> values);

// The same over the medians of up to 200 equal batches of at least 5 durations, in samples. Fewer
// than 50 durations are left whole.
WarmupCut warmup_cut(std::span<const Ticks> durations);

}  // namespace pairbench
