#include "stats/steady_interval.h"

#include <gtest/gtest.h>

#include <vector>

namespace pairbench {
namespace {

// Every 10 messages, 100 ticks apart.
const std::vector<Checkpoint> kStream = {{1000, 0},  {1100, 10}, {1200, 20},
                                         {1300, 30}, {1400, 40}, {1500, 50}};

TEST(SteadyInterval, LeavesOutRampAndDrain) {
  const auto interval = steady_interval(kStream, 1150, 45);
  ASSERT_TRUE(interval.has_value());
  EXPECT_EQ(interval->first, (Checkpoint{1200, 20}));
  EXPECT_EQ(interval->last, (Checkpoint{1400, 40}));
  EXPECT_EQ(interval->messages(), 20u);
  EXPECT_EQ(interval->ticks(), 200u);
}

TEST(SteadyInterval, IncludesCheckpointsOnTheBounds) {
  const auto interval = steady_interval(kStream, 1200, 40);
  ASSERT_TRUE(interval.has_value());
  EXPECT_EQ(interval->first.messages, 20u);
  EXPECT_EQ(interval->last.messages, 40u);
}

TEST(SteadyInterval, IsAllWhereNothingIsRampOrDrain) {
  const auto interval = steady_interval(kStream, 0, UINT64_MAX);
  ASSERT_TRUE(interval.has_value());
  EXPECT_EQ(interval->first, kStream.front());
  EXPECT_EQ(interval->last, kStream.back());
}

TEST(SteadyInterval, NeedsTwoCheckpoints) {
  EXPECT_FALSE(steady_interval({}, 0, 100).has_value());
  EXPECT_FALSE(steady_interval(std::vector<Checkpoint>{{1000, 5}}, 0, 100).has_value());
  EXPECT_FALSE(steady_interval(kStream, 1450, 100).has_value());  // one after the ramp
  EXPECT_FALSE(steady_interval(kStream, 2000, 100).has_value());  // none
  EXPECT_FALSE(steady_interval(kStream, 0, 5).has_value());       // one before the drain
  EXPECT_FALSE(steady_interval(kStream, 1250, 20).has_value());   // drained before the ramp ended
}

TEST(SteadyInterval, NeedsMessagesAndTimeBetweenThem) {
  EXPECT_FALSE(steady_interval(std::vector<Checkpoint>{{1000, 5}, {1000, 5}}, 0, 9).has_value());
  EXPECT_FALSE(steady_interval(std::vector<Checkpoint>{{1000, 5}, {1100, 5}}, 0, 9).has_value());
  EXPECT_FALSE(steady_interval(std::vector<Checkpoint>{{1000, 5}, {1000, 9}}, 0, 9).has_value());
}

}  // namespace
}  // namespace pairbench
