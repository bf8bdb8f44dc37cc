#include "harness/disturbances.h"

#include <gtest/gtest.h>

#include "base/cpu.h"

namespace pairbench {
namespace {

TEST(AddUsage, SumsOverBlocksAndKeepsWhatIsUnreadable) {
  EndCounters counters;
  add_usage(counters, {5, 10, std::nullopt}, {7, 10, std::nullopt});
  add_usage(counters, {7, 10, std::nullopt}, {8, 12, std::nullopt});
  EXPECT_EQ(counters.involuntary_context_switches, 3u);
  EXPECT_EQ(counters.minor_page_faults, 2u);
  EXPECT_EQ(counters.major_page_faults, std::nullopt);
}

TEST(AddChanges, AreThoseOfOneCpu) {
  EndCounters counters;
  add_changes(counters, {3, 1e6, 2000, NicCounters{{"rx_dropped", 1}}},
              {3, 3e6, 2500, NicCounters{{"rx_dropped", 1}}});
  EXPECT_EQ(counters.cpu, 3);
  EXPECT_EQ(counters.steal_ns, 2e6);
  EXPECT_EQ(counters.frequency_ratio, 1.25);
  EXPECT_EQ(counters.nic, NicCounters{});
}

TEST(AddChanges, OfAThreadThatMovedAreUnknown) {
  EndCounters counters;
  add_changes(counters, {3, 1e6, 2000, std::nullopt}, {4, 3e6, 2500, NicCounters{}});
  EXPECT_EQ(counters.cpu, 4);
  EXPECT_EQ(counters.steal_ns, std::nullopt);
  EXPECT_EQ(counters.frequency_ratio, std::nullopt);
  EXPECT_EQ(counters.nic, std::nullopt);
}

TEST(ThreadUsageNow, SeesThePagesThatAThreadTouches) {
  const ThreadUsage before = ThreadUsage::now();
  std::vector<char> memory(1 << 24, 'x');
  const ThreadUsage after = ThreadUsage::now();
  ASSERT_TRUE(before.minor_page_faults && after.minor_page_faults);
  EXPECT_GT(*after.minor_page_faults, *before.minor_page_faults) << memory.back();
}

TEST(AdapterOf, IsTheNicElseTheDomain) {
  Capabilities capabilities;
  capabilities.domain = "eth0";
  EXPECT_EQ(adapter_of(capabilities), "eth0");
  capabilities.nic = "rxe0";
  EXPECT_EQ(adapter_of(capabilities), "rxe0");
}

TEST(LookForDetours, SpinsAsLongAsThePlanSays) {
  Plan plan;
  const ClockCalibration calibration(ClockChoice::automatic);
  EXPECT_EQ(look_for_detours(plan, calibration.scale()), std::nullopt);
  plan.detour_spin = std::chrono::milliseconds(5);
  const auto found = look_for_detours(plan, calibration.scale());
  ASSERT_TRUE(found);
  EXPECT_GE(found->spun_ns, 4.99e6);
  EXPECT_NEAR(found->threshold_ns, 1000, 1);
  EXPECT_GE(found->longest_ns * static_cast<double>(found->count), found->total_ns);
}

}  // namespace
}  // namespace pairbench
