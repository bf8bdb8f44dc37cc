#include "stats/quantiles.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace pairbench {
namespace {

TEST(RankOf, IsTheNearestRank) {
  EXPECT_EQ(rank_of(0.5 * 9, 9), 5u);
  EXPECT_EQ(rank_of(0.5 * 10, 10), 5u);
  EXPECT_EQ(rank_of(0.99 * 100, 100), 99u);
  EXPECT_EQ(rank_of(0.999 * 25e6, 25'000'000), 24'975'000u);
}

TEST(RankOf, DoesNotTakeRoundingForARank) {
  EXPECT_EQ(rank_of(0.07 * 100, 100), 7u);
  EXPECT_EQ(rank_of(0.29 * 100, 100), 29u);
  for (std::uint64_t n = 1; n <= 2000; ++n) {
    for (std::uint64_t k = 1; k <= n; k += 7) {
      const auto count = static_cast<double>(n);
      ASSERT_EQ(rank_of(static_cast<double>(k) / count * count, n), k);
    }
  }
}

TEST(RankOf, StaysWithinTheValues) {
  EXPECT_EQ(rank_of(0, 10), 1u);
  EXPECT_EQ(rank_of(1e-300, 10), 1u);
  EXPECT_EQ(rank_of(10, 10), 10u);
  EXPECT_EQ(rank_of(11, 10), 10u);
  EXPECT_EQ(rank_of(0.5, 1), 1u);
}

// python3: x = numpy.random.default_rng(7).integers(100, 1000, 50); numpy.quantile(x, p,
// method="inverted_cdf")
TEST(SortedDurations, AgreesWithNumpy) {
  const SortedDurations sorted(
      {950, 662, 715, 907, 620, 798, 850, 302, 149, 370, 356, 886, 921, 104, 549, 839, 218,
       817, 207, 521, 834, 372, 407, 350, 747, 329, 991, 500, 530, 554, 624, 598, 558, 995,
       826, 813, 730, 659, 406, 990, 519, 293, 860, 244, 871, 651, 203, 139, 500, 132},
      1);
  const std::pair<double, Ticks> expected[] = {{0.01, 104}, {0.1, 203}, {0.25, 356}, {0.5, 558},
                                               {0.75, 826}, {0.9, 907}, {0.99, 995}};
  for (const auto& [p, value] : expected) {
    EXPECT_EQ(sorted.nearest(p * 50), value) << p;
    EXPECT_EQ(sorted.at(p * 50), static_cast<double>(value)) << p;  // no ties at these
  }
}

// python3: statistics.median_grouped([3, 5, 5, 5, 7, 7, 7, 7, 7, 9], 2) and
// statistics.median_grouped([10, 10, 20, 20, 20, 20, 30, 30, 30, 40], 10)
TEST(SortedDurations, InterpolatesTiesByTheGroupedDataFormula) {
  EXPECT_DOUBLE_EQ(SortedDurations({3, 5, 5, 5, 7, 7, 7, 7, 7, 9}, 2).at(5), 6.4);
  EXPECT_DOUBLE_EQ(SortedDurations({10, 10, 20, 20, 20, 20, 30, 30, 30, 40}, 10).at(5), 22.5);
}

TEST(SortedDurations, OfOneValueIsThatValue) {
  const SortedDurations sorted({42}, 10);
  for (const double p : {0.0, 0.5, 0.999, 1.0}) EXPECT_EQ(sorted.at(p), 42);
}

TEST(SortedDurations, OfEqualValuesIsThatValue) {
  const SortedDurations sorted(std::vector<Ticks>(1000, 42), 10);
  for (const double p : {0.001, 0.5, 0.999, 1.0}) EXPECT_EQ(sorted.at(p * 1000), 42);
}

TEST(SortedDurations, KeepsTiesWithinTheMiddlesToTheirNeighbours) {
  const SortedDurations sorted({10, 10, 12, 12, 12, 12, 14, 14}, 100);
  EXPECT_EQ(sorted.at(1), 10);  // not below the least
  EXPECT_EQ(sorted.at(2), 11);  // not beyond the middle of 10 and 12
  EXPECT_EQ(sorted.at(3), 11);
  EXPECT_EQ(sorted.at(4), 12);
  EXPECT_EQ(sorted.at(6), 13);
  EXPECT_EQ(sorted.at(8), 14);  // not above the greatest
}

TEST(SortedDurations, NeverCrosses) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<Ticks> durations(1 + random() % 200);
    const Ticks distinct = 1 + random() % 30;
    for (Ticks& duration : durations) duration = 1000 + 21 * (random() % distinct);
    const auto n = static_cast<double>(durations.size());
    const SortedDurations sorted(std::move(durations), 42);
    double before = sorted.at(0);
    for (double p = 0.001; p <= 1; p += 0.001) {
      const double value = sorted.at(p * n);
      ASSERT_GE(value, before);
      before = value;
    }
  }
}

TEST(SortedDurations, BearsTheLimitsOfTheType) {
  constexpr Ticks kMost = std::numeric_limits<Ticks>::max();
  const SortedDurations sorted({kMost, 0, kMost}, 1);
  EXPECT_EQ(sorted.nearest(1), 0u);
  EXPECT_EQ(sorted.nearest(3), kMost);
  EXPECT_EQ(sorted.at(3), static_cast<double>(kMost));
  EXPECT_EQ(sorted.at(1), 0);
}

}  // namespace
}  // namespace pairbench
