#include "stats/warmup_cut.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace pairbench {
namespace {

// python3: y = 20 exp(-i/2) for i < 6, else 0, plus normal(5, 0.5); argmin over d <= 20 of
// ((y[d:] - y[d:].mean()) ** 2).sum() / (40 - d) ** 2
TEST(MserCut, AgreesWithItsDefinition) {
  const std::vector<double> y = {24.71, 17.03, 12.81, 10.04, 7.04, 6.24, 5.32, 4.0,  4.77, 4.95,
                                 5.63,  5.34,  4.84,  4.82,  4.87, 5.76, 4.79, 4.85, 5.18, 4.94,
                                 4.9,   4.44,  4.99,  4.78,  5.58, 5.33, 4.99, 5.33, 4.83, 5.53,
                                 5.0,   5.29,  4.35,  5.17,  4.16, 3.98, 4.85, 4.55, 5.08, 6.12};
  const WarmupCut cut = mser_cut(y);
  EXPECT_EQ(cut.samples, 8u);
  EXPECT_TRUE(cut.converged);
}

TEST(MserCut, LeavesConstantsWhole) {
  const WarmupCut cut = mser_cut(std::vector<double>(30, 4.0));
  EXPECT_EQ(cut.samples, 0u);
  EXPECT_TRUE(cut.converged);
}

TEST(MserCut, OfATrendHasNotConverged) {
  std::vector<double> falling(40);
  for (std::size_t i = 0; i < falling.size(); ++i) falling[i] = 100 - static_cast<double>(i);
  const WarmupCut cut = mser_cut(falling);
  EXPECT_EQ(cut.samples, 20u);
  EXPECT_FALSE(cut.converged);
}

TEST(MserCut, BearsFewValues) {
  EXPECT_EQ(mser_cut({}).samples, 0u);
  EXPECT_TRUE(mser_cut({}).converged);
  EXPECT_EQ(mser_cut(std::vector<double>{7}).samples, 0u);
  EXPECT_TRUE(mser_cut(std::vector<double>{7}).converged);
}

// Settles exponentially, with now and then a spike that a batch's median does not see.
std::vector<Ticks> settling(std::size_t n, double samples_to_settle) {
  std::mt19937_64 random(8);
  std::vector<Ticks> durations(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double start = 4000 * std::exp(-static_cast<double>(i) / samples_to_settle);
    durations[i] = static_cast<Ticks>(start) + 1000 + random() % 50 + (random() % 100 == 0) * 90000;
  }
  return durations;
}

TEST(WarmupCut, FindsWhereTheDurationsSettle) {
  const WarmupCut cut = warmup_cut(settling(20000, 300));
  EXPECT_TRUE(cut.converged);
  EXPECT_GT(cut.samples, 900u);  // 5 % of the start is left there
  EXPECT_LT(cut.samples, 6000u);
}

TEST(WarmupCut, SeesThatTheyHaveNotSettled) {
  EXPECT_FALSE(warmup_cut(settling(2000, 4000)).converged);
}

TEST(WarmupCut, LeavesFewDurationsWhole) {
  const std::vector<Ticks> durations = settling(49, 10);
  EXPECT_EQ(warmup_cut(durations).samples, 0u);
  EXPECT_EQ(warmup_cut({}).samples, 0u);
}

}  // namespace
}  // namespace pairbench
