#include "stats/samples.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/intervals.h"
#include "stats/quantiles.h"

namespace pairbench {
namespace {

constexpr double kPicosecondsPerNanosecond = 1000;
constexpr double kEffectiveSamplesBeyond = 10;
constexpr double kStallMedians = 10;  // a sample above so many medians is a stall

// A wrapped negative difference lies in the upper half of the range.
constexpr Ticks kLongestDuration = std::numeric_limits<Ticks>::max() / 2;

// The estimate of the p quantile of n values of which n / inflation are effective. `value_at` gives
// the value at a position p n. nullopt where p is a tail that too few effective values lie beyond.
template <class ValueAt>
std::optional<Estimate> quantile_estimate(double p, std::uint64_t n, double inflation,
                                          const ValueAt& value_at) {
  const auto count = static_cast<double>(n);
  constexpr double kRounding = 1e-9;  // 100 * (1 - 0.9) is below 10
  const double beyond = count / inflation * (1 - p);
  if (p > 0.5 && beyond < kEffectiveSamplesBeyond - kRounding) return std::nullopt;
  Estimate estimate{value_at(p * count), {}, {}};
  if (const auto ranks = quantile_ranks_inflated(n, p, inflation)) {
    estimate.low = value_at(static_cast<double>(ranks->low));
    estimate.high = value_at(static_cast<double>(ranks->high));
  }
  return estimate;
}

template <class ValueAt>
void fill_quantiles(QuantileSet& set, const std::array<double, 4>& inflation,
                    const ValueAt& value_at) {
  std::optional<Estimate>* const fields[] = {&set.p50, &set.p90, &set.p99, &set.p99_9};
  for (std::size_t i = 0; i < Samples::kQuantiles.size(); ++i) {
    *fields[i] = quantile_estimate(Samples::kQuantiles[i], set.count, inflation[i], value_at);
  }
}

}  // namespace

Samples::Samples(const ClockScale& scale, std::size_t raw_capacity)
    : scale_(scale), raw_capacity_(raw_capacity) {
  raw_.reserve(raw_capacity);
  largest_.reserve(kLargest + 1);
}

void Samples::add(std::span<const Ticks> durations) {
  for (const Ticks duration : durations) add_one(duration);
}

void Samples::add_one(Ticks duration) {
  if (duration > kLongestDuration) {
    ++clock_faults_;
    return;
  }
  keep_if_large(duration);
  if (raw() && raw_.size() == raw_capacity_) fold();
  if (raw()) {
    raw_.push_back(duration);
  } else {
    folded_->add(picoseconds(duration));
  }
  min_ = count_ == 0 ? duration : std::min(min_, duration);
  max_ = std::max(max_, duration);
  sum_ += static_cast<double>(duration);
  ++count_;
}

void Samples::keep_if_large(Ticks duration) {
  if (largest_.size() == kLargest && duration <= largest_.back().duration) return;
  const auto place =
      std::upper_bound(largest_.begin(), largest_.end(), duration,
                       [](Ticks longer, const Kept& kept) { return longer > kept.duration; });
  largest_.insert(place, {duration, count_, sum_});
  if (largest_.size() > kLargest) largest_.pop_back();
}

std::vector<LargeSample> Samples::largest() const {
  std::vector<LargeSample> out;
  for (const Kept& kept : largest_)
    out.push_back({scale_.to_ns(kept.duration), kept.index, kept.at * scale_.ns_per_tick});
  return out;
}

double Samples::time_above(double ns) const {
  double sum = 0;
  if (raw()) {
    const double ticks = ns / scale_.ns_per_tick;
    for (const Ticks duration : raw_)
      if (static_cast<double>(duration) > ticks) sum += scale_.to_ns(duration);
    return sum;
  }
  for (const auto& [index, count] : folded_->sparse()) {
    const auto [low, high] = folded_->bucket_bounds(index);
    const double middle =
        (static_cast<double>(low) + static_cast<double>(high)) / 2 / kPicosecondsPerNanosecond;
    if (middle > ns) sum += middle * static_cast<double>(count);
  }
  return sum;
}

std::uint64_t Samples::picoseconds(Ticks duration) const {
  const double value = std::round(scale_.to_ns(duration) * kPicosecondsPerNanosecond);
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  return value < static_cast<double>(kMost) ? static_cast<std::uint64_t>(value) : kMost;
}

void Samples::fold() {
  if (!raw_.empty()) inflation_ = inflation_of(sorted());
  folded_ = histogram(LogHistogram::kFineBits);
  raw_ = std::vector<Ticks>();
}

LogHistogram Samples::histogram(int precision_bits) const {
  LogHistogram out(precision_bits);
  for (const Ticks duration : raw_) out.add(picoseconds(duration));
  return out;
}

SortedDurations Samples::sorted() const {
  return SortedDurations(raw_, scale_.quantum_ns / scale_.ns_per_tick);
}

std::array<double, 4> Samples::inflation_of(const SortedDurations& sorted) const {
  std::array<double, 4> out;
  std::transform(kQuantiles.begin(), kQuantiles.end(), out.begin(), [&](double p) {
    return variance_inflation(raw_, sorted.nearest(p * static_cast<double>(sorted.count())));
  });
  return out;
}

QuantileSet Samples::digest() const {
  QuantileSet set;
  set.count = count_;
  if (count_ == 0) return set;
  set.min = Estimate{scale_.to_ns(min_), {}, {}};
  set.max = Estimate{scale_.to_ns(max_), {}, {}};
  set.mean = Estimate{sum_ / static_cast<double>(count_) * scale_.ns_per_tick, {}, {}};
  if (raw()) {
    const SortedDurations values = sorted();
    fill_quantiles(set, inflation_of(values),
                   [&](double position) { return values.at(position) * scale_.ns_per_tick; });
  } else {
    const auto count = static_cast<double>(count_);
    fill_quantiles(set, inflation_, [&](double position) {
      return folded_->quantile(position / count) / kPicosecondsPerNanosecond;
    });
  }
  const double total = sum_ * scale_.ns_per_tick;
  if (set.p50 && total > 0)
    set.stall_time_share = std::min(1.0, time_above(kStallMedians * set.p50->value) / total);
  return set;
}

LogHistogram Samples::stored_histogram() const {
  return raw() ? histogram(LogHistogram::kStoredBits)
               : folded_->coarsened(LogHistogram::kStoredBits);
}

}  // namespace pairbench
