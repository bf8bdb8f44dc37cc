#include <gtest/gtest.h>

#include "plan/plan.h"

namespace pairbench {
namespace {

TEST(Placement, TwoEndsOnOneHostTakeTwoCpus) {
  const auto p = place({}, {{0, 1, 2, 3}, {}}, {{0, 1, 2, 3}, {}}, true);
  EXPECT_EQ(p.initiator_cpu, 3);
  EXPECT_EQ(p.responder_cpu, 2);
  EXPECT_FALSE(p.crowded);
}

TEST(Placement, HostsOfTheirOwnTakeTheirLast) {
  const auto p = place({}, {{0, 1}, {}}, {{4, 5}, {}}, false);
  EXPECT_EQ(p.initiator_cpu, 1);
  EXPECT_EQ(p.responder_cpu, 5);
}

TEST(Placement, AskedCpusAreKeptAndAvoided) {
  Config config;
  config.responder_cpu = 3;
  const auto p = place(config, {{0, 1, 2, 3}, {}}, {{0, 1, 2, 3}, {}}, true);
  EXPECT_EQ(p.responder_cpu, 3);
  EXPECT_EQ(p.initiator_cpu, 2);
}

TEST(Placement, TheNicsNodeComesFirst) {
  const EndCpus end{{0, 1, 2, 3, 4, 5}, {0, 1, 2}};
  const auto apart = place({}, end, end, false);
  EXPECT_EQ(apart.initiator_cpu, 2);
  EXPECT_EQ(apart.responder_cpu, 2);
  const auto together = place({}, end, end, true);
  EXPECT_EQ(together.initiator_cpu, 2);
  EXPECT_EQ(together.responder_cpu, 1);
  const EndCpus narrow{{0, 1, 2, 3}, {0}};
  EXPECT_EQ(place({}, narrow, narrow, true).responder_cpu, 3);
}

TEST(Placement, OneCpuForBothIsCrowded) {
  EXPECT_TRUE(place({}, {{2}, {}}, {{2}, {}}, true).crowded);
  EXPECT_FALSE(place({}, {{2}, {}}, {{2}, {}}, false).crowded);
  Config config;
  config.initiator_cpu = config.responder_cpu = 1;
  EXPECT_TRUE(place(config, {{0, 1}, {}}, {{0, 1}, {}}, true).crowded);
}

TEST(Placement, UnknownCpusStayUnpinned) {
  const auto p = place({}, {}, {}, false);
  EXPECT_FALSE(p.initiator_cpu);
  EXPECT_FALSE(p.responder_cpu);
}

}  // namespace
}  // namespace pairbench
