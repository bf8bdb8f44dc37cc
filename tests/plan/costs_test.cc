#include "plan/costs.h"

#include <gtest/gtest.h>

namespace pairbench {
namespace {

Plan default_plan() {
  Config config;
  config.transports.push_back(parse_transport("inproc"));
  return make_plan(config, std::vector<PairFacts>(1), {});
}

TEST(Costs, MemoryIsCountedWithoutOverflow) {
  Plan plan = default_plan();
  EXPECT_EQ(memory_needed(plan), plan.memory_bytes);
  plan.transports[0].recv_slots = std::uint64_t{1} << 60;
  EXPECT_EQ(memory_needed(plan), UINT64_MAX);
  plan.transports[0].recv_slots = 1;
  plan.transports[0].max_message_size = UINT64_MAX;
  EXPECT_EQ(memory_needed(plan), UINT64_MAX);
  plan.transports[0].max_message_size = 8;
  for (std::uint64_t TransportPlan::*depth : {&TransportPlan::rx_depth, &TransportPlan::tx_depth})
    for (const std::uint64_t far : {UINT64_MAX, UINT64_MAX / 64}) {
      Plan deep = plan;
      deep.transports[0].*depth = far;
      EXPECT_EQ(memory_needed(deep), UINT64_MAX);
    }
}

TEST(Costs, DepthsCountAsMemory) {
  Plan plan = default_plan();
  const std::uint64_t shallow = memory_needed(plan);
  plan.transports[0].rx_depth += 1 << 24;
  EXPECT_GE(memory_needed(plan), shallow + (std::uint64_t{1} << 30));
}

TEST(Costs, SkippedCasesTakeNoTime) {
  Plan plan = default_plan();
  const std::chrono::nanoseconds all = time_needed(plan);
  const Case& last = plan.cases.back();
  EXPECT_GE(all, plan.repeats * (last.duration + last.rewarm) * plan.cases.size());
  plan.cases.back().skipped = "";
  EXPECT_LE(time_needed(plan), all - plan.repeats * (last.duration + last.rewarm));
}

}  // namespace
}  // namespace pairbench
