#include <gtest/gtest.h>

#include <algorithm>

#include "report/document.h"
#include "report/samples.h"

namespace pairbench {
namespace {

const std::vector<double> kNine = {1000, 3000, 2000, 5000, 4000, 9000, 8000, 7000, 6000};

TEST(Summarize, HeadlineIsTheMedianOfRepeatsWithItsInterval) {
  const CaseResult result = samples::pingpong(0, 8, kNine);
  ASSERT_TRUE(result.summary.rtt_ns);
  EXPECT_EQ(result.summary.rtt_ns->p50, (Estimate{5000, 2000, 8000}));
  EXPECT_EQ(result.summary.rtt_ns->mean->value, 5100);
  EXPECT_FALSE(result.summary.messages_per_second);
}

TEST(Summarize, ExtremesAreOfAllRepeats) {
  const CaseResult result = samples::pingpong(0, 8, kNine);
  EXPECT_EQ(result.summary.rtt_ns->min, (Estimate{0, {}, {}}));
  EXPECT_EQ(result.summary.rtt_ns->max, (Estimate{99000, {}, {}}));
}

TEST(Summarize, OneRepeatKeepsItsOwnInterval) {
  const CaseResult result = samples::pingpong(0, 8, {5000});
  EXPECT_EQ(result.summary.rtt_ns->p50, (Estimate{5000, 4990, 5010}));
}

TEST(Summarize, AFigureThatOneRepeatLacksIsNull) {
  CaseResult result = samples::pingpong(0, 8, kNine);
  result.repeats[3].latency->rtt_ns.p99.reset();
  summarize(result);
  EXPECT_FALSE(result.summary.rtt_ns->p99);
  EXPECT_TRUE(result.summary.rtt_ns->p90);
}

TEST(Summarize, NoRepeatsNoFigures) {
  CaseResult result = samples::pingpong(0, 8, kNine);
  result.repeats.clear();
  summarize(result);
  EXPECT_FALSE(result.summary.rtt_ns);
  EXPECT_FALSE(result.summary.messages_per_second);
}

TEST(Summarize, RatesOfAStreamFitEachOther) {
  const CaseResult result = samples::streaming(0, pairbench::Test::stream, 4096, {1e5, 2e5, 3e5});
  const CaseSummary& s = result.summary;
  EXPECT_FALSE(s.rtt_ns);
  EXPECT_NEAR(s.delivered_bytes_per_second->value, s.messages_per_second->value * 4096, 1);
  EXPECT_EQ(s.forward_bytes_per_second, s.delivered_bytes_per_second);
  EXPECT_FALSE(s.backward_bytes_per_second);
}

TEST(Summarize, BistreamAddsBothDirectionsWithinEachRepeat) {
  const CaseResult result = samples::streaming(0, pairbench::Test::bistream, 1000, {1e5, 2e5, 3e5});
  const CaseSummary& s = result.summary;
  EXPECT_NEAR(s.forward_bytes_per_second->value, 2e8, 1e3);
  EXPECT_NEAR(s.backward_bytes_per_second->value, 1.8e8, 1e3);
  EXPECT_NEAR(s.delivered_bytes_per_second->value, 3.8e8, 1e3);
  EXPECT_NEAR(s.messages_per_second->value, 3.8e5, 1);
}

TEST(Summarize, BistreamWithoutOneDirectionHasNoTotal) {
  CaseResult result = samples::streaming(0, pairbench::Test::bistream, 1000, {1e5});
  result.repeats[0].backward->delivered_bytes_per_second.reset();
  summarize(result);
  EXPECT_FALSE(result.summary.delivered_bytes_per_second);
  EXPECT_TRUE(result.summary.forward_bytes_per_second);
}

TEST(Summarize, ZeroByteMessagesHaveARateAndNoBandwidth) {
  const CaseResult result = samples::streaming(0, pairbench::Test::bistream, 0, {1e5, 2e5});
  EXPECT_TRUE(result.summary.messages_per_second);
  EXPECT_FALSE(result.summary.delivered_bytes_per_second);
  EXPECT_FALSE(result.summary.forward_bytes_per_second);
  EXPECT_FALSE(result.summary.backward_bytes_per_second);
}

}  // namespace
}  // namespace pairbench
