#include "stats/quantiles.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pairbench {
namespace {

double middle(Ticks low, Ticks high) {
  return static_cast<double>(low) + static_cast<double>(high - low) / 2;
}

}  // namespace

std::uint64_t rank_of(double position, std::uint64_t n) {
  constexpr double kRounding = 4 * std::numeric_limits<double>::epsilon();
  const double rank = std::ceil(position - position * kRounding);
  if (rank <= 1) return 1;
  return rank >= static_cast<double>(n) ? n : static_cast<std::uint64_t>(rank);
}

SortedDurations::SortedDurations(std::vector<Ticks> durations, double step)
    : values_(std::move(durations)), step_(step) {
  std::sort(values_.begin(), values_.end());
}

Ticks SortedDurations::nearest(double position) const {
  return values_[rank_of(position, count()) - 1];
}

double SortedDurations::at(double position) const {
  const Ticks value = nearest(position);
  const auto [first, last] = std::equal_range(values_.begin(), values_.end(), value);
  const auto exact = static_cast<double>(value);
  if (last - first == 1) return exact;
  const auto below = static_cast<double>(first - values_.begin());
  const auto tied = static_cast<double>(last - first);
  const double grouped = exact - step_ / 2 + step_ * (position - below) / tied;
  const double low = first == values_.begin() ? exact : middle(*(first - 1), value);
  const double high = last == values_.end() ? exact : middle(value, *last);
  return std::clamp(grouped, low, high);
}

}  // namespace pairbench
