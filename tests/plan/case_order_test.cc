#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "plan/plan.h"

namespace pairbench {
namespace {

Plan two_transports() {
  Config config;
  config.transports = {parse_transport("a=inproc"), parse_transport("b=inproc")};
  config.sizes = {{8, 64, 512, 4096}};
  return make_plan(config, {{}, {}}, {});
}

TEST(CaseOrder, EveryRepeatRunsEveryCaseOnceTransportsBackToBack) {
  const Plan plan = two_transports();
  for (int repeat = 0; repeat < 6; ++repeat) {
    auto order = case_order(plan, repeat);
    for (std::size_t i = 0; i + 1 < order.size(); i += 2) {
      const Case& first = plan.cases[order[i]];
      const Case& second = plan.cases[order[i + 1]];
      EXPECT_EQ(first.size_bytes, second.size_bytes);
      EXPECT_EQ(first.test, second.test);
      EXPECT_EQ(first.transport, repeat % 2);
      EXPECT_EQ(second.transport, 1 - repeat % 2);
    }
    std::sort(order.begin(), order.end());
    std::vector<std::size_t> all(plan.cases.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    EXPECT_EQ(order, all);
  }
}

TEST(CaseOrder, DependsOnSeedAndRepeatAlone) {
  Plan plan = two_transports();
  EXPECT_EQ(case_order(plan, 1), case_order(plan, 1));
  EXPECT_NE(case_order(plan, 1), case_order(plan, 3));
  const auto before = case_order(plan, 1);
  plan.seed = 99;
  EXPECT_NE(case_order(plan, 1), before);
}

TEST(CaseOrder, OfTheNextSeedIsNotTheNextRepeats) {
  Plan plan = two_transports();
  const auto third_repeat = case_order(plan, 2);  // as the first, a begins
  plan.seed += 2;
  EXPECT_NE(case_order(plan, 0), third_repeat);
}

TEST(CaseOrder, SkippedCasesAreLeftOut) {
  Plan plan = two_transports();
  plan.cases[0].skipped = "reason";
  const auto order = case_order(plan, 0);
  EXPECT_EQ(order.size(), plan.cases.size() - 1);
  EXPECT_EQ(std::count(order.begin(), order.end(), 0u), 0);
}

}  // namespace
}  // namespace pairbench
