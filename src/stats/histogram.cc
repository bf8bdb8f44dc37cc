#include "stats/histogram.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

#include "stats/quantiles.h"

namespace pairbench {
namespace {

// The finest histogram has (64 - bits + 1) 2^bits buckets at most: a megabyte.
constexpr int kMaxBits = LogHistogram::kFineBits;

int checked_bits(int bits) {
  if (bits < 0 || bits > kMaxBits) throw std::invalid_argument("histogram precision out of range");
  return bits;
}

}  // namespace

LogHistogram::LogHistogram(int precision_bits) : bits_(checked_bits(precision_bits)) {}

// The leading bits_ + 1 bits of a value name its bucket within the octave. Octave by octave these
// run from 2^bits_ to 2^(bits_ + 1) - 1, and each octave adds 2^bits_: the indices are gapless, and
// below 2^(bits_ + 1) the value itself.
std::uint32_t LogHistogram::index_of(std::uint64_t picoseconds) const {
  const int shift = std::max(0, static_cast<int>(std::bit_width(picoseconds)) - 1 - bits_);
  return (static_cast<std::uint32_t>(shift) << bits_) +
         static_cast<std::uint32_t>(picoseconds >> shift);
}

std::pair<std::uint64_t, std::uint64_t> LogHistogram::bucket_bounds(std::uint32_t index) const {
  const std::uint32_t shift = std::max(index >> bits_, 1u) - 1;
  const std::uint64_t leading = index - (shift << bits_);
  const std::uint64_t low = leading << shift;
  const std::uint64_t width = std::uint64_t{1} << shift;
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return {low, low > most - width ? most : low + width};
}

std::uint64_t& LogHistogram::bucket(std::uint32_t index) {
  if (buckets_.empty()) first_ = index;
  if (index < first_) {
    buckets_.insert(buckets_.begin(), first_ - index, 0);
    first_ = index;
  }
  if (index - first_ >= buckets_.size()) buckets_.resize(index - first_ + 1);
  return buckets_[index - first_];
}

void LogHistogram::add(std::uint64_t picoseconds, std::uint64_t count) {
  if (count == 0) return;
  bucket(index_of(picoseconds)) += count;
  min_ = count_ == 0 ? picoseconds : std::min(min_, picoseconds);
  max_ = std::max(max_, picoseconds);
  count_ += count;
}

void LogHistogram::merge(const LogHistogram& other) {
  if (other.bits_ != bits_) throw std::invalid_argument("histograms of different precision");
  if (other.count_ == 0) return;
  for (const auto& [index, count] : other.sparse()) bucket(index) += count;
  min_ = count_ == 0 ? other.min_ : std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  count_ += other.count_;
}

LogHistogram LogHistogram::coarsened(int precision_bits) const {
  if (precision_bits > bits_) throw std::invalid_argument("a histogram cannot be made finer");
  LogHistogram coarse(precision_bits);
  for (const auto& [index, count] : sparse()) coarse.add(bucket_bounds(index).first, count);
  coarse.min_ = min_;
  coarse.max_ = max_;
  return coarse;
}

double LogHistogram::quantile(double p) const {
  const std::uint64_t rank = rank_of(p * static_cast<double>(count_), count_);
  if (rank == 1) return static_cast<double>(min_);
  if (rank == count_) return static_cast<double>(max_);
  std::uint64_t below = 0;
  std::uint32_t i = 0;
  while (below + buckets_[i] < rank) below += buckets_[i++];
  // The bucket's values are taken as spread evenly from its lowest to its highest whole number.
  const auto [low, end] = bucket_bounds(first_ + i);
  const double share = (static_cast<double>(rank - below) - 0.5) / static_cast<double>(buckets_[i]);
  const double value = static_cast<double>(low) + share * static_cast<double>(end - low - 1);
  return std::clamp(value, static_cast<double>(min_), static_cast<double>(max_));
}

std::vector<std::pair<std::uint32_t, std::uint64_t>> LogHistogram::sparse() const {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> out;
  for (std::uint32_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] != 0) out.emplace_back(first_ + i, buckets_[i]);
  }
  return out;
}

LogHistogram LogHistogram::from_sparse(
    int precision_bits, std::span<const std::pair<std::uint32_t, std::uint64_t>> buckets,
    std::uint64_t min, std::uint64_t max) {
  LogHistogram out(precision_bits);
  if (buckets.empty()) return out;
  const std::uint32_t indices = out.index_of(std::numeric_limits<std::uint64_t>::max()) + 1;
  std::uint32_t next = 0;
  for (const auto& [index, count] : buckets) {
    const bool fits = count <= std::numeric_limits<std::uint64_t>::max() - out.count_;
    if (index < next || index >= indices || count == 0 || !fits) {
      throw std::invalid_argument("histogram buckets out of order, out of range or empty");
    }
    out.add(out.bucket_bounds(index).first, count);
    next = index + 1;
  }
  if (min > max || out.index_of(min) != buckets.front().first ||
      out.index_of(max) != buckets.back().first) {
    throw std::invalid_argument("a histogram's min or max lies outside its buckets");
  }
  out.min_ = min;
  out.max_ = max;
  return out;
}

}  // namespace pairbench
