#include "stats/variance.h"

#include <gtest/gtest.h>

namespace pairbench {
namespace {

using Groups = std::vector<std::vector<double>>;

// python3: scipy.stats.f_oneway(*groups) gives between / within mean squares of 3.1565684195851604;
// within = 11.1123 / (15 - 3).
TEST(VarianceParts, AgreeWithTheAnalysisOfVariance) {
  const Groups groups = {{12.0, 10.76, 8.8, 10.07},
                         {11.58, 10.81, 11.68, 10.93, 11.67},
                         {13.44, 11.32, 12.2, 11.54, 12.13, 10.81}};
  const auto parts = variance_parts(groups);
  ASSERT_TRUE(parts.has_value());
  const double typical_size = (15 - (16 + 25 + 36) / 15.0) / 2;
  EXPECT_NEAR(parts->within, 0.8547940277777774, 1e-12);
  EXPECT_NEAR(parts->between, (3.1565684195851604 - 1) * parts->within / typical_size, 1e-12);
}

TEST(VarianceParts, OfGroupsOfOneKindByHand) {
  // Means 1 and 5, each value 1 away: within 2, between (16 - 2) / 2 by mean squares 2 * (4 + 4) /
  // 1 and 4 / 2.
  const auto parts = variance_parts(Groups{{0, 2}, {4, 6}});
  ASSERT_TRUE(parts.has_value());
  EXPECT_DOUBLE_EQ(parts->within, 2);
  EXPECT_DOUBLE_EQ(parts->between, 7);
}

TEST(VarianceParts, BetweenIsNeverNegative) {
  const auto parts = variance_parts(Groups{{0, 2}, {0, 2}, {2, 0}});
  ASSERT_TRUE(parts.has_value());
  EXPECT_EQ(parts->between, 0);
  EXPECT_DOUBLE_EQ(parts->within, 2);
}

TEST(VarianceParts, NeedTwoGroupsAndASpread) {
  EXPECT_FALSE(variance_parts({}).has_value());
  EXPECT_FALSE(variance_parts(Groups{{1, 2, 3}}).has_value());
  EXPECT_FALSE(variance_parts(Groups{{1, 2, 3}, {}}).has_value());
  EXPECT_FALSE(variance_parts(Groups{{1}, {2}, {3}}).has_value());
}

}  // namespace
}  // namespace pairbench
