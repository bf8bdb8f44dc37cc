#include "soft_efa/faults.h"

#include <gtest/gtest.h>

#include <vector>

namespace pairbench::soft_efa {
namespace {

std::vector<Effect> fates(const Settings& settings, int count) {
  Faults faults(settings);
  std::vector<Effect> effects;
  for (int i = 0; i < count; ++i) effects.push_back(faults.of_next_send().effect);
  return effects;
}

TEST(Faults, WithoutSettingsNothingStrikes) {
  const Settings settings;
  Faults faults(settings);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(faults.of_next_send().effect, Effect::none);
    EXPECT_EQ(faults.of_next_receive().effect, Effect::none);
    EXPECT_FALSE(faults.refuses_next_post());
  }
}

TEST(Faults, TheScriptCountsFromOne) {
  Settings settings;
  settings.script = parse_script("send:3:status:9,receive:2+:drop");
  Faults faults(settings);
  EXPECT_EQ(faults.of_next_send().effect, Effect::none);
  EXPECT_EQ(faults.of_next_send().effect, Effect::none);
  EXPECT_EQ(faults.of_next_send().status, Status::bad_queue_pair);
  EXPECT_EQ(faults.of_next_send().effect, Effect::none);
  EXPECT_EQ(faults.of_next_receive().effect, Effect::none);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(faults.of_next_receive().effect, Effect::drop);
}

TEST(Faults, PercentagesAreKept) {
  Settings settings;
  settings.reorder_percent = 30;
  settings.not_ready_percent = 10;
  Faults faults(settings);
  int delayed = 0;
  int not_ready = 0;
  for (int i = 0; i < 10000; ++i) {
    const Fate sent = faults.of_next_send();
    EXPECT_LE(sent.delay, settings.reorder_time);
    delayed += sent.effect == Effect::delay ? 1 : 0;
    not_ready += faults.of_next_receive().status == Status::receiver_not_ready ? 1 : 0;
  }
  // Five standard deviations: 5 * sqrt(10000 * 0.3 * 0.7) = 230, 5 * sqrt(10000 * 0.1 * 0.9) = 150.
  EXPECT_NEAR(delayed, 3000, 230);
  EXPECT_NEAR(not_ready, 1000, 150);
}

TEST(Faults, ASeedRepeatsThem) {
  Settings settings;
  settings.reorder_percent = 50;
  const auto first = fates(settings, 200);
  EXPECT_EQ(fates(settings, 200), first);
  settings.seed = 2;
  EXPECT_NE(fates(settings, 200), first);
  settings.seed = 1;
  settings.host = "another";
  EXPECT_NE(fates(settings, 200), first);
}

}  // namespace
}  // namespace pairbench::soft_efa
