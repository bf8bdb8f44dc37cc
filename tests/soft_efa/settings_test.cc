#include "soft_efa/settings.h"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace pairbench::soft_efa {
namespace {

Settings settings_of(const char* variable) {
  const std::array<const char*, 3> environment{"HOME=/", variable, nullptr};
  return settings_from(environment.data());
}

TEST(Settings, DefaultsStrikeNothing) {
  const Settings settings = settings_of("PATH=/bin");
  EXPECT_EQ(settings.devices, 1u);
  EXPECT_EQ(settings.reorder_percent + settings.not_ready_percent + settings.refuse_percent, 0u);
  EXPECT_TRUE(settings.script.empty());
  EXPECT_TRUE(settings.counters.empty());
}

TEST(Settings, AreRead) {
  EXPECT_EQ(settings_of("SOFT_EFA_HOST=b").host, "b");
  EXPECT_EQ(settings_of("SOFT_EFA_DEVICES=4").devices, 4u);
  EXPECT_EQ(settings_of("SOFT_EFA_RDMA=none").rdma, Rdma::none);
  EXPECT_EQ(settings_of("SOFT_EFA_REORDER=30").reorder_percent, 30u);
  EXPECT_EQ(settings_of("SOFT_EFA_HOLD_US=250").answer_delay, std::chrono::microseconds(250));
  EXPECT_TRUE(settings_of("SOFT_EFA_MEMLOCK=1").counts_locked_memory);
  EXPECT_EQ(settings_of("SOFT_EFA_TIMEOUT_MS=80").timeout, std::chrono::milliseconds(80));
}

TEST(Settings, AreRefusedByName) {
  for (const char* variable :
       {"SOFT_EFA_REORDRE=30", "SOFT_EFA_REORDER=101", "SOFT_EFA_RNR=-1",
        "SOFT_EFA_RNR=", "SOFT_EFA_DEVICES=0", "SOFT_EFA_DEVICES=17", "SOFT_EFA_SEED=1x",
        "SOFT_EFA_RDMA=yes", "SOFT_EFA_MTU=99999999999", "SOFT_EFA_SCRIPT=send:1:explode"}) {
    const std::string_view text = variable;
    const std::string_view name = text.substr(0, text.find('='));
    try {
      settings_of(variable);
      ADD_FAILURE() << variable << " was accepted";
    } catch (const std::invalid_argument& problem) {
      EXPECT_NE(std::string_view(problem.what()).find(name), std::string_view::npos) << variable;
    }
  }
}

TEST(Script, OneEventAndAllFromOneOn) {
  const auto script = parse_script("send:3:status:9,receive:50+:drop,send:7:delay:200");
  ASSERT_EQ(script.size(), 3u);
  EXPECT_EQ(script[0].event, Event::send);
  EXPECT_EQ(script[0].first, 3u);
  EXPECT_EQ(script[0].last, 3u);
  EXPECT_EQ(script[0].fate.status, Status::bad_queue_pair);
  EXPECT_EQ(script[1].event, Event::receive);
  EXPECT_EQ(script[1].fate.effect, Effect::drop);
  EXPECT_EQ(script[1].last, UINT64_MAX);
  EXPECT_EQ(script[2].fate.delay, std::chrono::microseconds(200));
}

TEST(Script, IsRefused) {
  for (const char* script :
       {"send", "send:0:drop", "send:1", "send:x:drop", "poll:1:drop", "send:1:drop:1",
        "send:1:status:", "send:1:status:0", "receive:1:delay:5", "send:1:drop,,send:2:drop"})
    EXPECT_THROW(parse_script(script), std::invalid_argument) << script;
}

}  // namespace
}  // namespace pairbench::soft_efa
