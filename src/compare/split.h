// In which part of a round trip a difference arises.
#pragma once

#include <vector>

#include "compare/compare.h"

namespace pairbench {

// One for each size of the ping-pong whose calls were stamped on both sides. `paired` as in
// TransportComparison.
std::vector<SplitComparison> compare_splits(const Side& baseline, const Side& candidate,
                                            bool paired);

}  // namespace pairbench
