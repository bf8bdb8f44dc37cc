#include "stats/rank_tests.h"

#include <gtest/gtest.h>

#include <vector>

namespace pairbench {
namespace {

using Values = std::vector<double>;

// python3: scipy.stats.wilcoxon(d, mode="exact"); the centre is numpy.median of all (d[i] + d[j]) /
// 2, i <= j, the interval the 6th (90 %: 9th) of these from either end, as P(T <= 5) = 0.0195 and
// P(T <= 8) = 0.0488.
TEST(SignedRank, AgreesWithScipy) {
  const SignedRank test(Values{.031, .018, .044, -.006, .027, .012, .039, .021, .009});
  EXPECT_DOUBLE_EQ(test.p_value(), 0.0078125);
  EXPECT_NEAR(test.centre(), 0.0215, 1e-12);
  const auto interval = test.interval(0.95);
  ASSERT_TRUE(interval.has_value());
  EXPECT_NEAR(interval->low, 0.009, 1e-12);
  EXPECT_NEAR(interval->high, 0.035, 1e-12);
  const auto narrow = test.interval(0.90);
  ASSERT_TRUE(narrow.has_value());
  EXPECT_NEAR(narrow->low, 0.012, 1e-12);
  EXPECT_NEAR(narrow->high, 0.031, 1e-12);
}

// python3: scipy.stats.wilcoxon(d, mode="exact").pvalue, d = 1..n with every third negative from
// the first on
TEST(SignedRank, AgreesWithScipyInSize) {
  const std::pair<int, double> expected[] = {
      {5, 0.625}, {8, 0.4609375}, {12, 0.20361328125}, {20, 0.20244979858398438}};
  for (const auto& [n, p] : expected) {
    Values differences;
    for (int i = 0; i < n; ++i) differences.push_back((i + 1) * (i % 3 == 0 ? -1 : 1));
    EXPECT_NEAR(SignedRank(differences).p_value(), p, 1e-12) << n;
  }
}

// By enumeration of the 2^7 flips of the values that are not 0, ranks by scipy.stats.rankdata.
TEST(SignedRank, SharesRanksAmongTiesAndPassesZerosOver) {
  EXPECT_DOUBLE_EQ(SignedRank(Values{1, -1, 2, 2, -3, 4, 0, 5}).p_value(), 0.234375);
  EXPECT_EQ(SignedRank(Values{0, 0, 0}).p_value(), 1);
  EXPECT_EQ(SignedRank(Values{0, 0, 0}).centre(), 0);
}

TEST(SignedRank, OfOneSignHasTheSmallestPossibleP) {
  EXPECT_DOUBLE_EQ(SignedRank(Values(9, 2.0)).p_value(), 2.0 / 512);
}

TEST(SignedRank, NeedsSixForAnInterval) {
  EXPECT_FALSE(SignedRank(Values{1}).interval(0.95).has_value());
  EXPECT_FALSE(SignedRank(Values{1, 2, 3, 4, 5}).interval(0.95).has_value());
  const auto interval = SignedRank(Values{1, 2, 3, 4, 5, 6}).interval(0.95);
  ASSERT_TRUE(interval.has_value());
  EXPECT_EQ(interval->low, 1);
  EXPECT_EQ(interval->high, 6);
  EXPECT_TRUE(SignedRank(Values{1, 2, 3, 4, 5}).interval(0.90).has_value());  // 2 / 32
}

// python3: scipy.stats.mannwhitneyu(a, b, method="exact"); the shift is numpy.median of all a[i] -
// b[j], the interval the 11th of these from either end, by enumeration of all 6435 choices.
TEST(RankSum, AgreesWithScipy) {
  const RankSum test(Values{11.06, 9.19, 9.97, 10.88, 9.42, 9.89, 10.11},
                     Values{9.06, 7.77, 9.08, 10.36, 7.45, 9.86, 9.12, 8.36});
  EXPECT_NEAR(test.p_value(), 0.013986013986013986, 1e-15);
  EXPECT_NEAR(test.shift(), 1.04, 1e-12);
  const auto interval = test.interval(0.95);
  ASSERT_TRUE(interval.has_value());
  EXPECT_NEAR(interval->low, 0.11, 1e-12);
  EXPECT_NEAR(interval->high, 2.2, 1e-12);
}

// By enumeration of the 126 choices, ranks by scipy.stats.rankdata.
TEST(RankSum, SharesRanksAmongTies) {
  EXPECT_NEAR(RankSum(Values{1, 2, 2, 3}, Values{2, 3, 4, 4, 5}).p_value(), 1.0 / 9, 1e-15);
  EXPECT_EQ(RankSum(Values{1, 1}, Values{1, 1, 1}).p_value(), 1);
}

TEST(RankSum, NeedsFourOnEachSideForAnInterval) {
  EXPECT_FALSE(RankSum(Values{1}, Values{2}).interval(0.95).has_value());
  EXPECT_FALSE(RankSum(Values{1, 2, 3}, Values{4, 5, 6}).interval(0.95).has_value());
  EXPECT_TRUE(RankSum(Values{1, 2, 3, 4}, Values{5, 6, 7, 8}).interval(0.95).has_value());
}

TEST(RankSum, IsMirroredWhenTheSidesChange) {
  const Values a = {3, 1, 4, 1.5, 5}, b = {9, 2, 6, 5.5};
  const RankSum ab(a, b), ba(b, a);
  EXPECT_DOUBLE_EQ(ab.p_value(), ba.p_value());
  EXPECT_DOUBLE_EQ(ab.shift(), -ba.shift());
  EXPECT_DOUBLE_EQ(ab.interval(0.9)->low, -ba.interval(0.9)->high);
}

// Counted up to 64 values, approximated from 65 on: nothing jumps in between. Every third
// difference is negative, every second of `b` is shifted.
TEST(RankTests, TheApproximationContinuesTheExactCount) {
  const auto differences = [](int n) {
    Values values;
    for (int i = 0; i < n; ++i) values.push_back((i + 1) * (i % 3 == 0 ? -1 : 1));
    return values;
  };
  const double counted = SignedRank(differences(64)).p_value();
  const double approximated = SignedRank(differences(67)).p_value();
  EXPECT_GT(approximated, 0.6 * counted);
  EXPECT_LT(approximated, counted);

  const auto shifted = [](int n, double shift) {
    Values values;
    for (int i = 0; i < n; ++i) values.push_back(i * 7 % 31 + shift);
    return values;
  };
  const double few = RankSum(shifted(32, 2.5), shifted(32, 0)).p_value();
  const double more = RankSum(shifted(33, 2.5), shifted(33, 0)).p_value();
  EXPECT_NEAR(more, few, 0.1);
  EXPECT_GT(more, 0.05);
}

TEST(RankTests, AThousandValuesTakeNoTime) {
  Values values;
  for (int i = 0; i < 1000; ++i) values.push_back(1 + (i * 37 % 101) / 1000.0);
  const SignedRank signed_rank(values);
  EXPECT_LT(signed_rank.p_value(), 1e-9);
  EXPECT_NEAR(signed_rank.centre(), 1.05, 0.01);
  const auto interval = signed_rank.interval(0.95);
  ASSERT_TRUE(interval);
  EXPECT_LT(interval->high - interval->low, 0.01);
  EXPECT_GT(RankSum(values, values).p_value(), 0.99);
}

}  // namespace
}  // namespace pairbench
