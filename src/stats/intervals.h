// Distribution-free confidence intervals of quantiles from order statistics, for dependent samples
// too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/clock.h"

namespace pairbench {

// 1-based ranks of the two order statistics that bound a quantile.
struct RankInterval {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  bool operator==(const RankInterval&) const = default;
};

inline constexpr double kConfidence = 0.95;

// For n independent values: with B ~ Bin(n, p) and a = 1 - confidence, low is the largest l with
// P(B <= l-1) <= a/2, high the smallest u with P(B <= u-1) >= 1 - a/2. nullopt where one of them
// does not exist. Needs 0 < p < 1. (David and Nagaraja, Order Statistics, 7.1.)
std::optional<RankInterval> quantile_ranks(std::uint64_t n, double p,
                                           double confidence = kConfidence);

// The same where n dependent values weigh as much as n / inflation independent ones: the ranks of
// the smaller sample at the same share of the larger.
std::optional<RankInterval> quantile_ranks_inflated(std::uint64_t n, double p, double inflation);

// How many times larger dependence makes the variance of the share of values above `threshold`: the
// variance of its count over 40 successive batches against that of independent values. A quantile
// among tied values lies between those above it and those from it on: the larger of the two counts.
// Never below 1; 1 where fewer than 80 values or a threshold that none or all exceed leave nothing
// to estimate. `durations` in the order of measurement.
double variance_inflation(std::span<const Ticks> durations, Ticks threshold);

}  // namespace pairbench
