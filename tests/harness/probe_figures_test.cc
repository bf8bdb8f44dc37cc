#include "harness/probe_figures.h"

#include <gtest/gtest.h>

namespace pairbench {
namespace {

TEST(ProbeFigures, SayWhatOneStampAdds) {
  // Four round trips of 100 ns and a stamp of 10: four of them in one part, one in the other.
  const std::vector<ProbePair> pairs(6, ProbePair{440, 410});
  const ProbeFigures figures = probe_figures(pairs, 4, ClockScale{});
  EXPECT_EQ(figures.chunk, 4u);
  EXPECT_EQ(figures.pairs, 6u);
  EXPECT_EQ(figures.batch_mean_ns, 102.5);
  EXPECT_EQ(figures.effect_ns, (Estimate{10, 10, 10}));
}

TEST(ProbeFigures, AreNotMovedByAStall) {
  std::vector<ProbePair> pairs(7, ProbePair{440, 410});
  pairs[2].batched += 1'000'000;
  EXPECT_EQ(probe_figures(pairs, 4, ClockScale{}).effect_ns.value, 10);
}

}  // namespace
}  // namespace pairbench
