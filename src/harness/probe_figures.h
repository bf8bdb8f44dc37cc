// What reading the clock for each round trip adds to it.
#pragma once

#include <cstdint>
#include <span>

#include "base/clock.h"
#include "report/document.h"
#include "workload/pingpong.h"

namespace pairbench {

// Of pairs with `chunk` round trips in either part, two at least: either ends with a stamp, so the
// stamped part of a pair has chunk - 1 more. The effect is the median over the pairs, which a stall
// in one of them does not move. `pairs` must not be empty.
ProbeFigures probe_figures(std::span<const ProbePair> pairs, std::uint64_t chunk,
                           const ClockScale& clock);

}  // namespace pairbench
