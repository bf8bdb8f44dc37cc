// Quantiles of sorted durations: nearest rank, ties resolved by the grouped-data formula.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"

namespace pairbench {

// The 1-based rank of a position p n among n values: ceil(position) within [1, n]. A position that
// rounding has put a few units in the last place above a whole number counts as that number
// (0.07 * 100 is above 7).
std::uint64_t rank_of(double position, std::uint64_t n);

// Durations of a clock that advances in steps: a reading v stands for anything within half a step
// of it.
class SortedDurations {
 public:
  // Sorts `durations`, which must not be empty. `step` is the clock's, in ticks.
  SortedDurations(std::vector<Ticks> durations, double step);

  std::uint64_t count() const { return values_.size(); }
  // x(ceil(position)).
  Ticks nearest(double position) const;
  // The same in ticks, but among f > 1 values tied at v with F below them
  //   v - step/2 + step (position - F) / f
  // (the grouped-data formula, as in Python's statistics.median_grouped), held within [min, max]
  // and within the middles to the neighbouring values, so that quantiles never cross.
  double at(double position) const;

 private:
  std::vector<Ticks> values_;
  double step_;
};

}  // namespace pairbench
