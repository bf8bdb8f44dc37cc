// What else than the transport was not the same on two sides.
#pragma once

#include <vector>

#include "compare/compare.h"

namespace pairbench {

// Of one document: what each transport was given (depths, inline limit, what a send's completion
// means). Of two: also tool, hosts, clock, placement and what was asked. What differs between any
// two runs (identity, time, calibration) is left out.
std::vector<Difference> differences_of(const Side& baseline, const Side& candidate);

}  // namespace pairbench
