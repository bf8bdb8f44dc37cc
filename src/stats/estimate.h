// A figure with its interval.
#pragma once

#include <optional>
#include <span>

namespace pairbench {

struct Estimate {
  double value = 0;
  // An interval of about 95 % confidence; none where the data allow none.
  std::optional<double> low;
  std::optional<double> high;

  bool operator==(const Estimate&) const = default;
};

// The middle value, or the mean of the two middle ones. `values` must be sorted and not empty.
double median_of_sorted(std::span<const double> values);

// The headline of repeats: the median of one value a repeat, its interval from order statistics
// (the tightest symmetric pair whose coverage is at least 95 %: R = 9: [x(2), x(8)], 96.1 %; R =
// 12: [x(3), x(10)], 96.1 %); no interval below R = 6. nullopt for no values. `values` need not be
// sorted.
std::optional<Estimate> over_repeats(std::span<const double> values);

}  // namespace pairbench
