// A log-linear histogram of durations with a fixed layout, so that merging is addition.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace pairbench {

// Values are whole picoseconds. Every octave is cut into 2^precision_bits buckets of equal width;
// values below 2^(precision_bits + 1) have a bucket each. Minimum and maximum are exact.
class LogHistogram {
 public:
  static constexpr int kFineBits = 11;   // for quantiles: width <= 0.049 %
  static constexpr int kStoredBits = 7;  // for documents: width <= 0.79 %

  // From 0 to kFineBits, else std::invalid_argument.
  explicit LogHistogram(int precision_bits = kStoredBits);

  void add(std::uint64_t picoseconds, std::uint64_t count = 1);
  // Both throw std::invalid_argument: where the precisions differ, where it would grow.
  void merge(const LogHistogram& other);
  LogHistogram coarsened(int precision_bits) const;

  int precision_bits() const { return bits_; }
  std::uint64_t count() const { return count_; }
  std::uint64_t min() const { return min_; }  // 0 when empty
  std::uint64_t max() const { return max_; }

  // The value of nearest rank ceil(p n), interpolated within its bucket, clamped to [min, max].
  // Needs count() > 0.
  double quantile(double p) const;

  // Non-empty buckets as (index, count), ascending, and their bounds [low, high) in picoseconds.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> sparse() const;
  std::pair<std::uint64_t, std::uint64_t> bucket_bounds(std::uint32_t index) const;
  // The inverse of sparse(). Throws std::invalid_argument where no histogram has these buckets, min
  // and max.
  static LogHistogram from_sparse(int precision_bits,
                                  std::span<const std::pair<std::uint32_t, std::uint64_t>> buckets,
                                  std::uint64_t min, std::uint64_t max);

  bool operator==(const LogHistogram&) const = default;

 private:
  std::uint32_t index_of(std::uint64_t picoseconds) const;
  std::uint64_t& bucket(std::uint32_t index);

  int bits_;
  std::uint32_t first_ = 0;             // the smallest index seen
  std::vector<std::uint64_t> buckets_;  // from there to the largest
  std::uint64_t count_ = 0;
  std::uint64_t min_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace pairbench
