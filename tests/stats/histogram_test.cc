#include "stats/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

namespace pairbench {
namespace {

using Buckets = std::vector<std::pair<std::uint32_t, std::uint64_t>>;
constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();

// Values over all magnitudes.
std::vector<std::uint64_t> values_of(std::uint64_t seed, std::size_t n) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> values(n);
  for (auto& value : values) value = random() >> (random() % 64);
  return values;
}

LogHistogram histogram_of(const std::vector<std::uint64_t>& values, int bits) {
  LogHistogram histogram(bits);
  for (const auto value : values) histogram.add(value);
  return histogram;
}

TEST(LogHistogram, OfNothing) {
  const LogHistogram histogram;
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.min(), 0u);
  EXPECT_EQ(histogram.max(), 0u);
  EXPECT_TRUE(histogram.sparse().empty());
}

TEST(LogHistogram, EveryValueLiesWithinItsBucketsBounds) {
  for (const int bits : {0, 1, 7, 11}) {
    for (const std::uint64_t value : values_of(1, 500)) {
      LogHistogram histogram(bits);
      histogram.add(value);
      const auto [low, end] = histogram.bucket_bounds(histogram.sparse().front().first);
      ASSERT_LE(low, value);
      ASSERT_TRUE(value < end || end == kLargest);
      // One bucket a value at first, then 2^bits buckets an octave.
      ASSERT_LE(end - low, std::max<std::uint64_t>(1, value >> bits));
    }
  }
}

TEST(LogHistogram, BucketsFollowOneAnother) {
  const LogHistogram histogram(3);
  std::uint64_t next = 0;
  const std::uint32_t count = 61 * 8 + 8;  // 16 single values, then 60 octaves of 8
  for (std::uint32_t index = 0; index < count; ++index) {
    const auto [low, end] = histogram.bucket_bounds(index);
    ASSERT_EQ(low, next) << index;
    ASSERT_GT(end, low);
    next = end;
  }
  EXPECT_EQ(next, kLargest);
}

TEST(LogHistogram, MinAndMaxAreExact) {
  const auto values = values_of(2, 1000);
  const LogHistogram histogram = histogram_of(values, LogHistogram::kStoredBits);
  EXPECT_EQ(histogram.count(), 1000u);
  EXPECT_EQ(histogram.min(), *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(histogram.max(), *std::max_element(values.begin(), values.end()));
}

TEST(LogHistogram, MergingIsConcatenation) {
  const auto a = values_of(3, 500), b = values_of(4, 700);
  auto both = a;
  both.insert(both.end(), b.begin(), b.end());
  LogHistogram merged = histogram_of(a, 7);
  merged.merge(histogram_of(b, 7));
  EXPECT_EQ(merged, histogram_of(both, 7));
  LogHistogram other_way = histogram_of(b, 7);
  other_way.merge(histogram_of(a, 7));
  EXPECT_EQ(merged, other_way);
}

TEST(LogHistogram, MergingNothingChangesNothing) {
  const LogHistogram some = histogram_of({5, 900}, 7);
  LogHistogram merged = some;
  merged.merge(LogHistogram(7));
  EXPECT_EQ(merged, some);
  LogHistogram empty(7);
  empty.merge(some);
  EXPECT_EQ(empty, some);
}

TEST(LogHistogram, MergesOnlyItsOwnPrecision) {
  LogHistogram fine(LogHistogram::kFineBits);
  EXPECT_THROW(fine.merge(LogHistogram(7)), std::invalid_argument);
  EXPECT_THROW(LogHistogram(7).coarsened(11), std::invalid_argument);
  EXPECT_THROW(LogHistogram(-1), std::invalid_argument);
  EXPECT_THROW(LogHistogram(12), std::invalid_argument);
}

TEST(LogHistogram, CoarseningIsTheSameAsAddingCoarsely) {
  const auto values = values_of(5, 5000);
  const LogHistogram fine = histogram_of(values, LogHistogram::kFineBits);
  EXPECT_EQ(fine.coarsened(LogHistogram::kStoredBits),
            histogram_of(values, LogHistogram::kStoredBits));
  EXPECT_EQ(fine.coarsened(LogHistogram::kFineBits), fine);
}

TEST(LogHistogram, CountsAreAddedAtOnce) {
  LogHistogram at_once(7), one_by_one(7);
  at_once.add(1234567, 3);
  at_once.add(99, 0);
  for (int i = 0; i < 3; ++i) one_by_one.add(1234567);
  EXPECT_EQ(at_once, one_by_one);
}

TEST(LogHistogram, QuantilesLieWithinTheWidthOfABucket) {
  std::mt19937_64 random(6);
  std::vector<std::uint64_t> values(20000);
  for (auto& value : values) value = 1'000'000 + random() % 9'000'000;
  const LogHistogram histogram = histogram_of(values, LogHistogram::kFineBits);
  std::sort(values.begin(), values.end());
  double before = 0;
  for (const double p : {0.0001, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto rank = static_cast<std::size_t>(std::ceil(p * 20000));
    const auto exact = static_cast<double>(values[rank - 1]);
    const double value = histogram.quantile(p);
    EXPECT_NEAR(value, exact, exact * 0.00049) << p;
    EXPECT_GE(value, before);
    before = value;
  }
}

TEST(LogHistogram, QuantilesOfSmallValuesAreExact) {
  const LogHistogram histogram = histogram_of({1, 2, 2, 3, 100}, 7);
  EXPECT_EQ(histogram.quantile(0.2), 1);
  EXPECT_EQ(histogram.quantile(0.5), 2);
  EXPECT_EQ(histogram.quantile(0.8), 3);
  EXPECT_EQ(histogram.quantile(1), 100);
}

TEST(LogHistogram, QuantilesOfOneValueAreThatValue) {
  const LogHistogram histogram = histogram_of({123'456'789}, 7);
  for (const double p : {0.0, 0.5, 1.0}) EXPECT_EQ(histogram.quantile(p), 123'456'789);
}

TEST(LogHistogram, BearsTheLimitsOfTheType) {
  const LogHistogram histogram = histogram_of({0, kLargest}, 7);
  EXPECT_EQ(histogram.quantile(0.5), 0);
  EXPECT_EQ(histogram.quantile(1), static_cast<double>(kLargest));
  EXPECT_EQ(histogram.min(), 0u);
  EXPECT_EQ(histogram.max(), kLargest);
}

TEST(LogHistogram, SparseFormIsReadBack) {
  const LogHistogram histogram = histogram_of(values_of(7, 1000), 7);
  EXPECT_EQ(LogHistogram::from_sparse(7, histogram.sparse(), histogram.min(), histogram.max()),
            histogram);
  EXPECT_EQ(LogHistogram::from_sparse(7, {}, 0, 0), LogHistogram(7));
}

TEST(LogHistogram, RefusesASparseFormThatCannotBe) {
  const auto refuse = [](const Buckets& buckets, std::uint64_t min, std::uint64_t max) {
    EXPECT_THROW(LogHistogram::from_sparse(7, buckets, min, max), std::invalid_argument);
  };
  EXPECT_NO_THROW(LogHistogram::from_sparse(7, Buckets{{5, 1}, {9, 2}}, 5, 9));
  refuse({{9, 2}, {5, 1}}, 5, 9);                     // not ascending
  refuse({{5, 1}, {5, 1}}, 5, 5);                     // twice
  refuse({{5, 0}}, 5, 5);                             // empty
  refuse({{UINT32_MAX, 1}}, 5, 5);                    // no such bucket
  refuse({{57 * 128 + 128, 1}}, kLargest, kLargest);  // one beyond the last
  refuse({{5, kLargest}, {9, 1}}, 5, 9);              // more than can be counted
  refuse({{5, 1}, {9, 2}}, 4, 9);                     // min elsewhere
  refuse({{5, 1}, {9, 2}}, 5, 10);                    // max elsewhere
  refuse({{1000, 2}}, 16000, 15900);                  // min above max
}

}  // namespace
}  // namespace pairbench
