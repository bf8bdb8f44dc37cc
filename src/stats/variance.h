// How much of a spread lies between repeats and how much within them.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace pairbench {

struct VarianceParts {
  double between = 0;  // of the repeats' true means; 0 where the repeats differ no more than their
                       // own spread explains
  double within = 0;   // of single values about their repeat's mean
};

// The analysis-of-variance estimates of the one-way random-effects model, groups of any sizes
// (Searle, Casella and McCulloch, Variance Components, 3.6). nullopt below two non-empty groups or
// without a group of two values.
std::optional<VarianceParts> variance_parts(std::span<const std::vector<double>> groups);

}  // namespace pairbench
