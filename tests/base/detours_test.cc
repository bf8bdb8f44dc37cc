#include "base/detours.h"

#include <gtest/gtest.h>

#include <vector>

namespace pairbench {
namespace {

// Readings one after another, the last for ever.
struct ScriptedClock {
  std::vector<Ticks> readings;
  mutable std::size_t next = 0;
  Ticks now() const { return readings[std::min(next++, readings.size() - 1)]; }
};

TEST(Detours, AreTheGapsAboveTheThreshold) {
  const ScriptedClock clock{{100, 101, 103, 113, 114, 144, 149, 200}};
  ClockScale scale;
  scale.ns_per_tick = 2;
  const Detours found = find_detours(clock, scale, 100, 5);
  EXPECT_EQ(found.count, 3u);  // 10, 30 and 51; not the 5
  EXPECT_EQ(found.total_ns, 182);
  EXPECT_EQ(found.longest_ns, 102);
  EXPECT_EQ(found.spun_ns, 200);
  EXPECT_EQ(found.threshold_ns, 10);
  EXPECT_DOUBLE_EQ(found.share(), 0.91);
}

TEST(Detours, EndWithTheSpin) {
  const ScriptedClock clock{{0, 1, 2, 3, 4, 1000}};
  const Detours found = find_detours(clock, ClockScale{}, 4, 1);
  EXPECT_EQ(found.count, 0u);
  EXPECT_EQ(found.longest_ns, 1);
}

}  // namespace
}  // namespace pairbench
