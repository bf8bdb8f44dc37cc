#include "plan/plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"

namespace pairbench {
namespace {

using namespace std::chrono_literals;

Capabilities device(std::size_t tx, std::size_t rx, bool ordered) {
  Capabilities result;
  result.max_tx_depth = tx;
  result.max_rx_depth = rx;
  result.completions_ordered = ordered;
  return result;
}

Config config_of(std::initializer_list<const char*> transports) {
  Config config;
  for (const char* text : transports) config.transports.push_back(parse_transport(text));
  return config;
}

Plan plan_of(const Config& config, const Capabilities& capabilities) {
  const PairFacts pair{capabilities, capabilities, true};
  return make_plan(config, std::vector<PairFacts>(config.transports.size(), pair), {});
}

const Adjustment* find(const std::vector<Adjustment>& adjustments, std::string_view option) {
  const auto found = std::find_if(adjustments.begin(), adjustments.end(),
                                  [&](const Adjustment& a) { return a.option == option; });
  return found == adjustments.end() ? nullptr : &*found;
}

TEST(Plan, PresetGivesWhatIsNotAsked) {
  Config config = config_of({"inproc"});
  config.preset = Preset::smoke;
  const Plan smoke = plan_of(config, device(65536, 65536, true));
  EXPECT_EQ(smoke.repeats, 1);
  ASSERT_EQ(smoke.cases.size(), 6u);
  EXPECT_EQ(smoke.cases[0].duration, 50ms);
  EXPECT_EQ(smoke.cases[0].warmup, 20ms);
  EXPECT_EQ(smoke.cases[0].window, 1u);
  EXPECT_EQ(smoke.cases[3].test, pairbench::Test::stream);
  EXPECT_EQ(smoke.cases[3].window, 64u);
  EXPECT_TRUE(smoke.transports[0].adjustments.empty());

  config.sizes = {{16}};
  config.repeats = 4;
  config.iterations = 1000;
  const Plan explicit_one = plan_of(config, device(65536, 65536, true));
  EXPECT_EQ(explicit_one.cases.size(), 2u);
  EXPECT_EQ(explicit_one.repeats, 4);
  EXPECT_EQ(explicit_one.cases[0].iterations, 1000u);
  EXPECT_EQ(explicit_one.cases[0].duration, 0ns);
}

TEST(Plan, SmallQueuesLowerDepthsOnTheRecord) {
  Config config = config_of({"libfabric:shm"});
  config.window = 2048;
  const Plan plan = plan_of(config, device(1024, 1024, false));
  const auto& transport = plan.transports[0];
  EXPECT_EQ(transport.rx_depth, 1016u);
  EXPECT_EQ(transport.tx_depth, 1024u);
  EXPECT_EQ(plan.cases.back().window, 1016u);
  ASSERT_NE(find(transport.adjustments, "--window"), nullptr);
  EXPECT_EQ(find(transport.adjustments, "--window")->asked, "2048");
  EXPECT_EQ(find(transport.adjustments, "--window")->effective, "1016");
  ASSERT_NE(find(transport.adjustments, "--rx-depth"), nullptr);
}

TEST(Plan, UnorderedCompletionsSignalEverySendOnEveryTransport) {
  Config config = config_of({"inproc", "libfabric:shm"});
  config.signal_every = 8;
  const PairFacts ordered{device(1024, 1024, true), device(1024, 1024, true), true};
  const PairFacts unordered{device(1024, 1024, false), device(1024, 1024, false), true};
  const Plan mixed = make_plan(config, {ordered, unordered}, {});
  for (const Case& c : mixed.cases) EXPECT_EQ(c.signal_interval, 1u);
  ASSERT_NE(find(mixed.adjustments, "--signal-every"), nullptr);

  const Plan all_ordered = make_plan(config, {ordered, ordered}, {});
  for (const Case& c : all_ordered.cases) EXPECT_EQ(c.signal_interval, 8u);
  EXPECT_TRUE(all_ordered.adjustments.empty());
}

TEST(Plan, FewSendsAreSignalledByDefaultWhereThatIsLawful) {
  Config config = config_of({"inproc"});
  EXPECT_EQ(plan_of(config, device(65536, 65536, true)).cases[0].signal_interval, 16u);
  const Plan unordered = plan_of(config, device(65536, 65536, false));
  EXPECT_EQ(unordered.cases[0].signal_interval, 1u);
  EXPECT_TRUE(unordered.adjustments.empty());  // nobody asked
  config.window = 6;
  EXPECT_EQ(plan_of(config, device(65536, 65536, true)).cases[0].signal_interval, 3u);
}

TEST(Plan, SignalIntervalKeepsTwoInAWindow) {
  Config config = config_of({"inproc"});
  config.window = 10;
  config.signal_every = 100;
  EXPECT_EQ(plan_of(config, device(65536, 65536, true)).cases[0].signal_interval, 5u);
}

TEST(Plan, SizesAboveTheLimitAreSkippedWithTheReason) {
  Config config = config_of({"libfabric:efa-direct"});
  config.sizes = {{8, 8192, 1 << 20}};
  Capabilities small = device(1024, 1024, true);
  small.max_message_size = 8192;
  const Plan plan = plan_of(config, small);
  EXPECT_TRUE(plan.cases[1].runs());
  ASSERT_FALSE(plan.cases[2].runs());
  EXPECT_NE(plan.cases[2].skipped->find("8K"), std::string::npos);
  EXPECT_EQ(plan.transports[0].max_message_size, 8192u);
}

TEST(Plan, CheckedStreamsHaveABufferForEveryMessage) {
  Config config = config_of({"inproc"});
  config.sizes = {{8 << 20}};
  config.check = true;
  const auto plan = plan_of(config, device(65536, 65536, true));
  const auto& t = plan.transports[0];
  EXPECT_EQ(t.rx_depth, 8u);
  EXPECT_EQ(t.recv_slots, t.rx_depth + Plan::kCreditReserve);
  EXPECT_EQ(t.send_slots, 8u);
  EXPECT_NE(find(t.adjustments, "--window"), nullptr);
}

TEST(Plan, DefaultSweepFitsAGibibyteHoweverLargeTheWindow) {
  Config config = config_of({"libfabric:tcp"});
  config.preset = Preset::full;
  EXPECT_LT(plan_of(config, device(65536, 65536, true)).memory_bytes, std::uint64_t{1} << 30);
  config.sizes = {{64 << 20}};
  EXPECT_LT(plan_of(config, device(65536, 65536, true)).memory_bytes, std::uint64_t{1} << 30);
}

TEST(Plan, InlineIsHeldToTheDevice) {
  Config config = config_of({"libfabric:tcp"});
  Capabilities tcp = device(1024, 1024, false);
  tcp.max_inline = 64;
  EXPECT_EQ(plan_of(config, tcp).transports[0].inline_limit, UINT64_MAX);
  config.inline_choice = {false, 1 << 20};
  const Plan plan = plan_of(config, tcp);
  EXPECT_EQ(plan.transports[0].inline_limit, 64u);
  EXPECT_NE(find(plan.transports[0].adjustments, "--inline"), nullptr);
  config.inline_choice = {false, 0};
  EXPECT_TRUE(plan_of(config, tcp).transports[0].adjustments.empty());
}

TEST(Plan, RefusesWhatCanNeverRun) {
  const auto refuse = [](auto change) {
    Config config = config_of({"inproc"});
    change(config);
    try {
      plan_of(config, device(1024, 1024, true));
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.failure().status, ExitStatus::usage);
    }
  };
  refuse([](Config& c) { c.transports.clear(); });
  refuse([](Config& c) { c.iterations = 1, c.duration = 1s; });
  refuse([](Config& c) { c.window = 0; });
  refuse([](Config& c) { c.signal_every = 0; });
  refuse([](Config& c) { c.rx_depth = 0; });
  refuse([](Config& c) { c.transports.push_back(c.transports[0]); });
}

TEST(Plan, SharedMemoryDoesNotReachAnotherHost) {
  const Config config = config_of({"libfabric:shm"});
  Capabilities shm = device(1024, 1024, false);
  shm.same_host_only = true;
  try {
    make_plan(config, {{shm, shm, false}}, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().status, ExitStatus::no_device);
  }
}

TEST(Plan, CrowdedCpusYield) {
  const Config config = config_of({"inproc"});
  const Plan plan =
      make_plan(config, {{}}, {.initiator_cpu = 0, .responder_cpu = 0, .crowded = true});
  EXPECT_EQ(plan.completion, CompletionMode::yield);
  EXPECT_NE(find(plan.adjustments, "--completion"), nullptr);
}

TEST(Plan, EventsNeedSomethingToWaitOn) {
  Config config = config_of({"inproc"});
  config.completion = CompletionMode::event;
  const Plan plan = plan_of(config, device(1024, 1024, true));
  for (const Case& c : plan.cases) EXPECT_FALSE(c.runs());
}

TEST(Plan, RefillAndWindowAreHeldToTheDepth) {
  Config config = config_of({"inproc"});
  config.rx_depth = 10;
  config.refill_at = 10;
  const Plan plan = plan_of(config, device(65536, 65536, true));
  EXPECT_EQ(plan.transports[0].refill_at, 9u);
  EXPECT_EQ(plan.cases.back().window, 10u);
}

}  // namespace
}  // namespace pairbench
