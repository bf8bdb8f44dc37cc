#include "stats/intervals.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "stats/quantiles.h"

namespace pairbench {
namespace {

// python3: cdf = scipy.stats.binom.cdf(range(n + 1), n, p);
// low = max(k + 1 for k with cdf[k] <= 0.025), high = min(k + 1 for k with cdf[k] >= 0.975)
TEST(QuantileRanks, AreThoseOfTheBinomialDistribution) {
  const struct {
    std::uint64_t n;
    double p;
    RankInterval ranks;
  } cases[] = {{6, 0.5, {1, 6}},
               {9, 0.5, {2, 8}},
               {12, 0.5, {3, 10}},
               {20, 0.5, {6, 15}},
               {40, 0.9, {32, 40}},
               {100, 0.9, {84, 96}},
               {1000, 0.5, {469, 532}},
               {1000, 0.99, {983, 997}},
               {10000, 0.999, {9983, 9997}},
               {4194304, 0.999, {4189982, 4190237}},
               {25000000, 0.5, {12495100, 12504901}},
               {25000000, 0.99, {24749024, 24750976}},
               {25000000, 0.999, {24974690, 24975310}}};
  for (const auto& c : cases) {
    EXPECT_EQ(quantile_ranks(c.n, c.p), c.ranks) << "n = " << c.n << ", p = " << c.p;
  }
}

TEST(QuantileRanks, AreNoneWhereTheDataAllowNone) {
  EXPECT_FALSE(quantile_ranks(0, 0.5).has_value());
  EXPECT_FALSE(quantile_ranks(1, 0.5).has_value());
  EXPECT_FALSE(quantile_ranks(5, 0.5).has_value());
  EXPECT_FALSE(quantile_ranks(30, 0.9).has_value());  // no value bounds it from above
  EXPECT_FALSE(quantile_ranks(1000, 0.999).has_value());
}

TEST(QuantileRanks, AreMirroredForTheMirroredQuantile) {
  for (const std::uint64_t n : {40u, 100u, 999u}) {
    const auto high = quantile_ranks(n, 0.9);
    const auto low = quantile_ranks(n, 1 - 0.9);
    ASSERT_TRUE(high && low);
    EXPECT_EQ(low->low, n + 1 - high->high);
    EXPECT_EQ(low->high, n + 1 - high->low);
  }
}

TEST(QuantileRanksInflated, WithoutInflationAreTheSame) {
  EXPECT_EQ(quantile_ranks_inflated(1000, 0.99, 1), quantile_ranks(1000, 0.99));
}

TEST(QuantileRanksInflated, AreTheShareOfTheSmallerSample) {
  // 9 effective values: x(2) and x(8) of 9, which stand at 2/10 and 8/10 of 999 + 1.
  EXPECT_EQ(quantile_ranks_inflated(999, 0.5, 111), (RankInterval{200, 800}));
  EXPECT_FALSE(quantile_ranks_inflated(999, 0.5, 200).has_value());
  EXPECT_FALSE(quantile_ranks_inflated(10, 0.5, 100).has_value());
}

TEST(VarianceInflation, IsOneWhereThereIsNothingToEstimate) {
  const std::vector<Ticks> few(79, 1);
  EXPECT_EQ(variance_inflation(few, 0), 1);
  std::vector<Ticks> many(1000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = i;
  EXPECT_EQ(variance_inflation(many, 1000), 1);  // none above
  many.assign(1000, 5);
  EXPECT_EQ(variance_inflation(many, 4), 1);  // all above
}

TEST(VarianceInflation, OfHalvesByHand) {
  // 40 batches of two, half of them wholly above: each count is 1 away from its mean, where
  // independent values would give a variance of 2 * 1/2 * 1/2. 40 * 1 / (1/2) / 39.
  std::vector<Ticks> durations(80, 1);
  std::fill(durations.begin(), durations.begin() + 40, 9);
  EXPECT_NEAR(variance_inflation(durations, 5), 80.0 / 39, 1e-12);
}

TEST(VarianceInflation, SeesABurstOfWhichNoneExceedsTheThreshold) {
  // 40 batches of 100, two of them wholly at the threshold: a share of 0.05. 38 counts are 5 away
  // from their mean, two are 95; independent values would give a variance of 100 * 0.05 * 0.95.
  std::vector<Ticks> durations(4000, 1);
  std::fill(durations.begin() + 2000, durations.begin() + 2200, 9);
  EXPECT_NEAR(variance_inflation(durations, 9), (38 * 25 + 2 * 9025) / 4.75 / 39, 1e-9);
}

TEST(VarianceInflation, IsNeverBelowOne) {
  std::vector<Ticks> alternating(4000);
  for (std::size_t i = 0; i < alternating.size(); ++i) alternating[i] = i % 2;
  EXPECT_EQ(variance_inflation(alternating, 0), 1);
}

// A process that stays in a slow state for 20 messages on average and is there a fifth of the time.
// Its true 90 % quantile is 1500: fast messages last [100, 200), slow ones [1000, 2000).
std::vector<Ticks> bursts(std::mt19937_64& random, std::size_t n) {
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Ticks> durations(n);
  bool slow = uniform(random) < 0.2;
  for (Ticks& duration : durations) {
    duration =
        static_cast<Ticks>(slow ? 1000 + 1000 * uniform(random) : 100 + 100 * uniform(random));
    if (uniform(random) < (slow ? 1.0 / 20 : 1.0 / 80)) slow = !slow;
  }
  return durations;
}

bool covers(const std::vector<Ticks>& durations, double p, double inflation, Ticks truth) {
  const auto ranks = quantile_ranks_inflated(durations.size(), p, inflation);
  if (!ranks) return true;
  const SortedDurations sorted(durations, 1);
  return sorted.nearest(static_cast<double>(ranks->low)) <= truth &&
         sorted.nearest(static_cast<double>(ranks->high)) >= truth;
}

TEST(Coverage, OfDependentValuesNeedsTheInflation) {
  constexpr int kRuns = 150;
  std::mt19937_64 random(1);
  int plain = 0, inflated = 0;
  for (int run = 0; run < kRuns; ++run) {
    const std::vector<Ticks> durations = bursts(random, 4000);
    const SortedDurations sorted(durations, 1);
    const double inflation = variance_inflation(durations, sorted.nearest(0.9 * 4000));
    plain += covers(durations, 0.9, 1, 1500);
    inflated += covers(durations, 0.9, inflation, 1500);
  }
  EXPECT_LT(plain, kRuns * 70 / 100);
  EXPECT_GE(inflated, kRuns * 90 / 100);
}

TEST(Coverage, OfIndependentValuesIsNominal) {
  constexpr int kRuns = 400;
  std::mt19937_64 random(2);
  int covered = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<Ticks> durations(300);
    for (Ticks& duration : durations) duration = random() % 1000000;
    covered += covers(durations, 0.9, 1, 900000);
  }
  EXPECT_GE(covered, kRuns * 925 / 1000);
  EXPECT_LE(covered, kRuns * 985 / 1000);
}

}  // namespace
}  // namespace pairbench
