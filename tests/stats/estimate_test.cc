#include "stats/estimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace pairbench {
namespace {

// 1, 2, …, n in an order that is not sorted.
std::vector<double> shuffled(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  std::rotate(values.begin(), values.begin() + n / 2, values.end());
  return values;
}

TEST(OverRepeats, OfNothingIsNothing) {
  EXPECT_FALSE(over_repeats({}).has_value());
}

TEST(OverRepeats, HasNoIntervalBelowSix) {
  for (int n = 1; n < 6; ++n) {
    const auto estimate = over_repeats(shuffled(n));
    ASSERT_TRUE(estimate.has_value());
    EXPECT_EQ(estimate->value, (n + 1) / 2.0);
    EXPECT_FALSE(estimate->low.has_value());
    EXPECT_FALSE(estimate->high.has_value());
  }
}

TEST(OverRepeats, TakesTheTightestPairOfOrderStatistics) {
  EXPECT_EQ(over_repeats(shuffled(6)), (Estimate{3.5, 1, 6}));
  EXPECT_EQ(over_repeats(shuffled(8)), (Estimate{4.5, 1, 8}));
  EXPECT_EQ(over_repeats(shuffled(9)), (Estimate{5, 2, 8}));
  EXPECT_EQ(over_repeats(shuffled(12)), (Estimate{6.5, 3, 10}));
  EXPECT_EQ(over_repeats(shuffled(20)), (Estimate{10.5, 6, 15}));
}

TEST(OverRepeats, BearsTies) {
  EXPECT_EQ(over_repeats(std::vector<double>(9, 4.0)), (Estimate{4, 4, 4}));
}

}  // namespace
}  // namespace pairbench
