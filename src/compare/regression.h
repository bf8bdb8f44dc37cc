// Whether a comparison fails a limit: what a CI job asks.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "compare/compare.h"

namespace pairbench {

struct Regression {
  std::size_t tested = 0;              // sizes with a verdict
  std::vector<std::string> found;      // "pingpong p50 64", or "… overall": slower, wholly beyond
  std::vector<std::string> undecided;  // "pingpong p50 64K: grade C"

  // 3 for a regression, 6 for what could not be decided, else 0.
  ExitStatus status() const;
};

// `limit` 0.05: 5 %. Slower beyond it: the whole interval of the ratio lies above 1 + limit where
// lower is better, below 1 / (1 + limit) where higher is better (a byte takes 5 % longer). With
// `strict` a size that may be slower than that (slower, or no difference shown, with an interval
// that holds the limit) is undecided too.
Regression find_regression(std::span<const TransportComparison> comparisons, double limit,
                           bool strict);

}  // namespace pairbench
