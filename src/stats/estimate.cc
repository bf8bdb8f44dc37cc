#include "stats/estimate.h"

#include <algorithm>
#include <vector>

#include "stats/intervals.h"

namespace pairbench {

double median_of_sorted(std::span<const double> values) {
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::optional<Estimate> over_repeats(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  Estimate estimate{median_of_sorted(sorted), {}, {}};
  if (const auto ranks = quantile_ranks(sorted.size(), 0.5)) {
    estimate.low = sorted[ranks->low - 1];
    estimate.high = sorted[ranks->high - 1];
  }
  return estimate;
}

}  // namespace pairbench
