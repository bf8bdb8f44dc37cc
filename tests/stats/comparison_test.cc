#include "stats/comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace pairbench {
namespace {

using Values = std::vector<double>;

TEST(ComparePaired, IsTheRatioOfEachRepeat) {
  const Values baseline = {10, 11, 9, 10.5, 9.5, 10, 12, 8, 10};
  Values measured = baseline;
  for (double& value : measured) value *= 1.2;
  const auto comparison = compare_paired(measured, baseline);
  ASSERT_TRUE(comparison && comparison->interval && comparison->interval_90);
  EXPECT_NEAR(comparison->ratio, 1.2, 1e-12);
  EXPECT_NEAR(comparison->interval->low, 1.2, 1e-12);
  EXPECT_NEAR(comparison->interval->high, 1.2, 1e-12);
  EXPECT_LE(comparison->p_value, 2.0 / 256);
}

TEST(ComparePaired, OfOneRepeatShowsNothing) {
  const auto comparison = compare_paired(Values{12}, Values{10});
  ASSERT_TRUE(comparison.has_value());
  EXPECT_NEAR(comparison->ratio, 1.2, 1e-12);
  EXPECT_FALSE(comparison->interval.has_value());
  EXPECT_EQ(comparison->p_value, 1);
}

TEST(CompareBoth, RefuseWhatHasNoRatio) {
  EXPECT_FALSE(compare_paired({}, {}).has_value());
  EXPECT_FALSE(compare_paired(Values{1, 2}, Values{1}).has_value());
  EXPECT_FALSE(compare_unpaired(Values{1, 2}, {}).has_value());
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(compare_paired(Values{1, bad}, Values{1, 2}).has_value());
    EXPECT_FALSE(compare_unpaired(Values{1, 2}, Values{1, bad}).has_value());
  }
}

TEST(CompareUnpaired, IsTheShiftOfTheLogarithms) {
  // The middle of ln 2^(i - j) for 1 <= i <= 3, 0 <= j <= 2.
  EXPECT_NEAR(compare_unpaired(Values{2, 4, 8}, Values{1, 2, 4})->ratio, 2, 1e-12);
  const auto doubled =
      compare_unpaired(Values{2.0, 2.02, 2.04, 2.06}, Values{1.0, 1.01, 1.02, 1.03});
  ASSERT_TRUE(doubled && doubled->interval);
  EXPECT_NEAR(doubled->ratio, 2, 1e-9);
  EXPECT_NEAR(doubled->p_value, 2.0 / 70, 1e-12);
}

TEST(GeometricMeans, AreTakenOverSizesPerRepeat) {
  const std::vector<Values> by_size = {{1, 10, 100}, {4, 1000}};
  const Values means = geometric_means(by_size);
  ASSERT_EQ(means.size(), 2u);
  EXPECT_NEAR(means[0], 2, 1e-12);
  EXPECT_NEAR(means[1], 100, 1e-9);
  EXPECT_TRUE(geometric_means({}).empty());
}

TEST(Holm, StepsDown) {
  const Values adjusted = holm(Values{.01, .04, .03, .005, .9});
  ASSERT_EQ(adjusted.size(), 5u);
  // 5 * .005, 4 * .01, 3 * .03, then 2 * .04 held at what came before it, 1 * .9.
  EXPECT_NEAR(adjusted[3], .025, 1e-15);
  EXPECT_NEAR(adjusted[0], .04, 1e-15);
  EXPECT_NEAR(adjusted[2], .09, 1e-15);
  EXPECT_NEAR(adjusted[1], .09, 1e-15);
  EXPECT_NEAR(adjusted[4], .9, 1e-15);
  EXPECT_EQ(holm(Values{.6, .7}), (Values{1, 1}));
  EXPECT_TRUE(holm({}).empty());
}

TEST(RepeatsNeeded, LetTheSmallestPSurviveHolm) {
  EXPECT_EQ(repeats_needed(1), 6);
  EXPECT_EQ(repeats_needed(6), 8);
  EXPECT_EQ(repeats_needed(23), 10);
  for (std::size_t tests = 1; tests < 100; ++tests) {
    const double smallest_p = std::pow(2.0, 1 - repeats_needed(tests));
    EXPECT_LE(smallest_p * static_cast<double>(tests), 0.05);
    EXPECT_GT(2 * smallest_p * static_cast<double>(tests), 0.05);
  }
}

Comparison comparison_of(double ratio, Bounds narrow) {
  Comparison comparison;
  comparison.ratio = ratio;
  comparison.interval_90 = narrow;
  return comparison;
}

TEST(Judge, SaysFasterOrSlowerByTheMetricsSense) {
  const Comparison more = comparison_of(1.2, {1.18, 1.22}), less = comparison_of(0.8, {0.78, 0.82});
  EXPECT_EQ(judge(more, 0.01, 0.01, Better::lower), Verdict::slower);
  EXPECT_EQ(judge(more, 0.01, 0.01, Better::higher), Verdict::faster);
  EXPECT_EQ(judge(less, 0.01, 0.01, Better::lower), Verdict::faster);
  EXPECT_EQ(judge(less, 0.01, 0.01, Better::higher), Verdict::slower);
}

TEST(Judge, KnowsNegligibleEqualAndNotShown) {
  const Comparison small = comparison_of(1.004, {1.001, 1.007});
  EXPECT_EQ(judge(small, 0.01, 0.01, Better::lower), Verdict::negligible);
  EXPECT_EQ(judge(small, 0.20, 0.01, Better::lower), Verdict::equal);
  EXPECT_EQ(judge(small, 0.01, 0.002, Better::lower), Verdict::slower);
  EXPECT_EQ(judge(comparison_of(1.004, {0.97, 1.05}), 0.2, 0.01, Better::lower),
            Verdict::not_shown);
  EXPECT_EQ(judge(comparison_of(1.2, {1.18, 1.22}), 0.2, 0.01, Better::lower), Verdict::not_shown);
  Comparison single;
  EXPECT_EQ(judge(single, 1, 0.01, Better::lower), Verdict::not_shown);
}

TEST(SmallestEffect, IsOnePercentOrTheClocksStep) {
  EXPECT_EQ(smallest_effect(1, 10000), 0.01);
  EXPECT_EQ(smallest_effect(40, 1000), 0.04);
}

TEST(VerdictNames, NeverSayEqualForNotShown) {
  EXPECT_EQ(to_string(Verdict::faster), "faster");
  EXPECT_EQ(to_string(Verdict::slower), "slower");
  EXPECT_EQ(to_string(Verdict::negligible), "negligible");
  EXPECT_EQ(to_string(Verdict::equal), "equal");
  EXPECT_EQ(to_string(Verdict::not_shown), "no difference shown");
}

// Medians of repeats about a mean, with a spread of 1 %.
Values repeats_about(double mean, std::mt19937_64& random) {
  std::normal_distribution<double> normal(0, 0.01);
  Values values(9);
  for (double& value : values) value = mean * std::exp(normal(random));
  return values;
}

struct Tally {
  int verdicts = 0;
  int covered = 0;
};

template <class Compare>
Tally tally(double ratio, Compare compare) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const Values baseline = repeats_about(1000, random);
    const auto comparison = compare(repeats_about(1000 * ratio, random), baseline);
    const Verdict verdict = judge(*comparison, comparison->p_value, 0.01, Better::lower);
    tally.verdicts += verdict == Verdict::slower || verdict == Verdict::faster;
    tally.covered += comparison->interval->low <= ratio && ratio <= comparison->interval->high;
  }
  return tally;
}

TEST(Simulation, ASlowDownOfThreePercentIsSeen) {
  for (const auto compare : {compare_paired, compare_unpaired}) {
    const Tally seen = tally(1.03, compare);
    EXPECT_GE(seen.verdicts, 180);
    EXPECT_GE(seen.covered, 180);
  }
}

TEST(Simulation, NoChangeIsRarelyTakenForOne) {
  for (const auto compare : {compare_paired, compare_unpaired}) {
    const Tally seen = tally(1.0, compare);
    EXPECT_LE(seen.verdicts, 18);  // 5 % of 200, and what binomial chance adds in one of a hundred
    EXPECT_GE(seen.covered, 180);
  }
}

}  // namespace
}  // namespace pairbench
