// The samples of one case and repeat: raw while they fit, a fine histogram beyond. Memory is
// bounded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "stats/estimate.h"
#include "stats/histogram.h"
#include "stats/quantiles.h"

namespace pairbench {

// One digest of a sample set, nanoseconds. p90 and above are null without 10 effective samples
// beyond them.
struct QuantileSet {
  std::uint64_t count = 0;
  std::optional<Estimate> min, p50, p90, p99, p99_9, max, mean;
  // Of the whole time, the share spent in samples longer than ten medians.
  std::optional<double> stall_time_share;
};

// One of the longest samples: how long, the how many-th, and when its time began, seen from the
// first sample's start.
struct LargeSample {
  double ns = 0;
  std::uint64_t index = 0;
  double at_ns = 0;

  bool operator==(const LargeSample&) const = default;
};

class Samples {
 public:
  static constexpr std::size_t kRawCapacity = std::size_t{1} << 22;
  static constexpr std::size_t kLargest = 10;
  static constexpr std::array<double, 4> kQuantiles = {0.5, 0.9, 0.99, 0.999};

  // Reserves memory for `raw_capacity` durations, so that add() does not allocate while raw().
  explicit Samples(const ClockScale& scale, std::size_t raw_capacity = kRawCapacity);

  // Appends durations in ticks, in the order they were measured. One in the upper half of the range
  // is a negative difference that wrapped: it is counted as a clock fault and enters nothing else.
  void add(std::span<const Ticks> durations);

  std::uint64_t count() const { return count_; }
  std::uint64_t clock_faults() const { return clock_faults_; }
  bool raw() const { return !folded_; }  // all kept one by one: quantiles are exact
  // Quantiles by nearest rank x(ceil(p n)), 1-based; within tied values (a coarse tick)
  // interpolated by the grouped-data formula over scale.quantum_ns. Intervals are
  // distribution-free, within this sample set, and allow for dependence (intervals.h); once folded,
  // as it was among the first raw_capacity samples.
  QuantileSet digest() const;
  std::vector<LargeSample> largest() const;  // kLargest at most, longest first
  LogHistogram stored_histogram() const;     // LogHistogram::kStoredBits, picoseconds

 private:
  struct Kept {
    Ticks duration;
    std::uint64_t index;
    double at;  // ticks
  };

  void add_one(Ticks duration);
  void keep_if_large(Ticks duration);
  double time_above(double ns) const;
  void fold();
  std::uint64_t picoseconds(Ticks duration) const;
  LogHistogram histogram(int precision_bits) const;  // of raw_
  SortedDurations sorted() const;                    // of raw_
  std::array<double, 4> inflation_of(const SortedDurations& sorted) const;

  ClockScale scale_;
  std::size_t raw_capacity_;
  std::vector<Ticks> raw_;
  std::optional<LogHistogram> folded_;  // picoseconds, LogHistogram::kFineBits; then raw_ is empty
  std::array<double, 4> inflation_ = {1, 1, 1, 1};  // of kQuantiles, when folded
  std::uint64_t count_ = 0;
  std::uint64_t clock_faults_ = 0;
  Ticks min_ = 0;
  Ticks max_ = 0;
  double sum_ = 0;             // ticks; whole, so exact up to 2^53
  std::vector<Kept> largest_;  // longest first
};

}  // namespace pairbench
