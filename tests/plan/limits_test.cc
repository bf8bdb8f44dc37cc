#include "plan/limits.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "plan/costs.h"

namespace pairbench {
namespace {

using namespace std::chrono_literals;

Config config_for(std::vector<const char*> transports) {
  Config config;
  for (const char* text : transports) config.transports.push_back(parse_transport(text));
  return config;
}

Plan planned(const Config& config) {
  return make_plan(config, std::vector<PairFacts>(config.transports.size()), {});
}

Plan lawful_plan() {
  return planned(config_for({"libfabric:tcp", "verbs:mlx5_0"}));
}

// What a responder says of the plan; empty where it takes it.
std::string refusal(const Plan& plan) {
  try {
    require_lawful(plan);
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().status, ExitStatus::peer);
    EXPECT_EQ(error.failure().phase, Phase::plan);
    EXPECT_FALSE(error.failure().hint.empty());
    return error.what();
  }
  return {};
}

struct Change {
  std::function<void(Plan&)> make;
  std::string said;  // empty: nothing
};

void expect_all(const std::vector<Change>& changes) {
  for (const Change& change : changes) {
    Plan plan = lawful_plan();
    change.make(plan);
    EXPECT_EQ(refusal(plan), change.said);
  }
}

std::string refusal_of_greeting(const std::vector<TransportSpec>& transports) {
  try {
    require_lawful(transports);
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().status, ExitStatus::peer);
    EXPECT_EQ(error.failure().phase, Phase::hello);
    EXPECT_FALSE(error.failure().hint.empty());
    return error.what();
  }
  return {};
}

TEST(Limits, OfAGreeting) {
  std::vector<TransportSpec> transports;
  for (std::size_t i = 0; i < limits::kTransports; ++i)
    transports.push_back(parse_transport(std::to_string(i) + "=inproc"));
  EXPECT_EQ(refusal_of_greeting(transports), "");
  transports.push_back(parse_transport("one-more=inproc"));
  EXPECT_EQ(refusal_of_greeting(transports), "the peer asks for 65 transports, the limit is 64");
  transports.resize(1);
  for (std::string TransportSpec::*text :
       {&TransportSpec::label, &TransportSpec::text, &TransportSpec::provider,
        &TransportSpec::device, &TransportSpec::peer_device}) {
    transports[0] = parse_transport("inproc");
    transports[0].*text = std::string(1024, 'x');
    EXPECT_EQ(refusal_of_greeting(transports), "");
    transports[0].*text += 'x';
    EXPECT_EQ(refusal_of_greeting(transports),
              "the peer names a transport in 1025 characters, the limit is 1024");
  }
  EXPECT_EQ(refusal_of_greeting({parse_transport("a=inproc"), parse_transport("a=verbs")}),
            "the peer calls two transports 'a'");
}

TEST(Limits, TransportsNeedMemoryWhateverThePlan) {
  const auto samples = least_memory({});
  EXPECT_EQ(samples, 2 * Plan::kMaxBlock * sizeof(Ticks));
  EXPECT_EQ(least_memory({parse_transport("inproc")}), samples);
  EXPECT_EQ(least_memory(std::vector(3, parse_transport("libfabric:tcp"))) - samples,
            3 * (least_memory({parse_transport("libfabric:tcp")}) - samples));
  const Plan plan = lawful_plan();
  EXPECT_LE(least_memory({plan.transports[0].spec, plan.transports[1].spec}), memory_needed(plan));
}

TEST(Limits, EachIsAllowedAndOneMoreIsRefusedWithBothNumbers) {
  expect_all({
      {[](Plan& p) { p.transports.resize(64, p.transports[0]); }, ""},
      {[](Plan& p) { p.transports.resize(65, p.transports[0]); },
       "the plan has a number of transports of 65, the limit is 64"},
      {[](Plan& p) { p.cases.resize(65536, p.cases[0]); }, ""},
      {[](Plan& p) { p.cases.resize(65537, p.cases[0]); },
       "the plan has a number of cases of 65537, the limit is 65536"},
      {[](Plan& p) { p.repeats = 1000; }, ""},
      {[](Plan& p) { p.repeats = 1001; },
       "the plan has a number of repeats of 1001, the limit is 1000"},
      {[](Plan& p) { p.transports[1].rx_depth = 1 << 24; }, ""},
      {[](Plan& p) { p.transports[1].rx_depth = (1 << 24) + 1; },
       "the plan has a receive depth of 16777217, the limit is 16777216"},
      {[](Plan& p) { p.transports[0].tx_depth = (1 << 24) + 8; }, ""},
      {[](Plan& p) { p.transports[0].tx_depth = UINT64_MAX; },
       "the plan has a send depth of 18446744073709551615, the limit is 16777224"},
      {[](Plan& p) { p.transports[0].max_message_size = std::uint64_t{1} << 40; }, ""},
      {[](Plan& p) { p.transports[0].max_message_size = (std::uint64_t{1} << 40) + 1; },
       "the plan has a message size of 1099511627777, the limit is 1099511627776"},
      {[](Plan& p) { p.cases[3].iterations = std::uint64_t{1} << 44; }, ""},
      {[](Plan& p) { p.cases[3].iterations = UINT64_MAX; },
       "the plan has a number of messages of 18446744073709551615, the limit is 17592186044416"},
      {[](Plan& p) { p.cases[3].warmup_iterations = UINT64_MAX; },
       "the plan has a number of warm-up messages of 18446744073709551615, the limit is "
       "17592186044416"},
      {[](Plan& p) { p.cases[3].warmup = 168h; }, ""},
      {[](Plan& p) { p.cases[3].warmup = 168h + 1h; },
       "the plan has a duration of 169h, the limit is 168h"},
      {[](Plan& p) { p.cases[3].duration = 169h; },
       "the plan has a duration of 169h, the limit is 168h"},
      {[](Plan& p) { p.cases[3].rewarm = 169h; },
       "the plan has a duration of 169h, the limit is 168h"},
      {[](Plan& p) { p.peer_timeout = 24h; }, ""},
      {[](Plan& p) { p.peer_timeout = 25h; },
       "the plan has a peer timeout of 25h, the limit is 24h"},
      {[](Plan& p) { p.detour_spin = 60s; }, ""},
      {[](Plan& p) { p.detour_spin = 2min; },
       "the plan has a look for gaps of 2m, the limit is 1m"},
  });
}

TEST(Limits, ManyShortTimesMakeALongOne) {
  Plan plan = lawful_plan();
  plan.repeats = 1000;
  for (Case& c : plan.cases) c.duration = 20s;
  EXPECT_EQ(refusal(plan), "");  // 24 cases
  plan.cases.resize(48, plan.cases[0]);
  EXPECT_NE(refusal(plan).find("a time to measure of "), std::string::npos);
  for (Case& c : plan.cases) c.duration = 168h;
  EXPECT_NE(refusal(plan).find("the limit is 168h"), std::string::npos);
}

TEST(Limits, APlanThatWouldLeaveItsBuffersOrQueuesIsRefused) {
  const std::string so = "the plan contradicts itself: ";
  expect_all({
      {[](Plan& p) { p.cases[0].size_bytes = p.transports[0].max_message_size + 1; },
       so + "a message is larger than the buffers"},
      {[](Plan& p) {
         p.cases[0].size_bytes = UINT64_MAX;
         p.cases[0].skipped = "too large";
       },
       ""},
      {[](Plan& p) { p.cases[0].transport = 2; }, so + "a case has no transport"},
      {[](Plan& p) { p.cases[0].transport = -1; }, so + "a case has no transport"},
      {[](Plan& p) { p.transports.clear(); }, so + "a case has no transport"},
      {[](Plan& p) { p.cases[0].window = 0; }, so + "a window does not fit the send depth"},
      {[](Plan& p) { p.cases[0].window = 65; }, so + "a window does not fit the send depth"},
      {[](Plan& p) { p.cases[0].signal_interval = 0; }, so + "no send is signalled"},
      {[](Plan& p) { p.cases[0].duration = -1ns; }, so + "a time is negative"},
      {[](Plan& p) { p.peer_timeout = 0ns; }, so + "the peer timeout is not positive"},
      {[](Plan& p) { p.transports[0].spec.label.assign(1025, 'x'); },
       "the plan has a label's length of 1025, the limit is 1024"},
      {[](Plan& p) { p.estimated_time = -1ns; }, so + "a time is negative"},
      {[](Plan& p) { p.detour_spin = -1ns; }, so + "a time is negative"},
      {[](Plan& p) { p.repeats = 0; }, so + "nothing is repeated"},
      {[](Plan& p) { p.repeats = -1; }, so + "nothing is repeated"},
      {[](Plan& p) { p.transports[0].rx_depth = 0; }, so + "nothing is received"},
      {[](Plan& p) { p.transports[0].tx_depth = 8; }, so + "nothing is sent"},
      {[](Plan& p) { p.transports[0].refill_at = 512; },
       so + "a receive is replaced before it is used"},
      {[](Plan& p) { p.transports[0].recv_slots = 0; },
       so + "receives do not take turns in their buffers"},
      {[](Plan& p) { p.transports[0].recv_slots = 3; },
       so + "receives do not take turns in their buffers"},
      {[](Plan& p) { p.transports[0].recv_slots = 1024; },
       so + "receives do not take turns in their buffers"},
      {[](Plan& p) { p.transports[0].recv_slots = 520; }, ""},
      {[](Plan& p) { p.transports[0].send_slots = 0; }, so + "sends do not fit their buffers"},
      {[](Plan& p) { p.transports[0].send_slots = 73; }, so + "sends do not fit their buffers"},
      {[](Plan& p) { p.transports[1].path.mtu_bytes = 1 << 20; },
       so + "an MTU is of 256 to 4096 bytes"},
      {[](Plan& p) { p.transports[1].path.service_level = 16; }, so + "a service level is 0 to 15"},
      {[](Plan& p) { p.transports[1].path.traffic_class = -1; },
       so + "a traffic class is 0 to 255"},
  });
}

// What people measure is far within, and whatever make_plan decides is lawful.
TEST(Limits, AreInNobodysWay) {
  Config sweep = config_for({"libfabric:tcp", "libfabric:efa", "verbs", "libfabric:shm"});
  sweep.sizes = parse_size_list("1:2000:+1");
  sweep.tests = {{pairbench::Test::pingpong, pairbench::Test::stream, pairbench::Test::bistream}};
  sweep.iterations = 1'000'000'000;
  EXPECT_EQ(refusal(planned(sweep)), "");

  Config day = config_for({"libfabric:tcp"});
  day.sizes = {{8}};
  day.tests = {{pairbench::Test::stream}};
  day.duration = 24h;
  day.repeats = 5;
  day.peer_timeout = 1h;
  EXPECT_EQ(refusal(planned(day)), "");

  Config large = config_for({"libfabric:tcp"});
  large.sizes = {{std::uint64_t{16} << 30}};
  for (const bool check : {false, true})
    for (const std::uint64_t window : {1, 64, 65536}) {
      large.check = check;
      large.window = window;
      large.refill_at = 0;
      EXPECT_EQ(refusal(planned(large)), "");
    }
}

}  // namespace
}  // namespace pairbench
