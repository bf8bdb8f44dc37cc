#include "harness/run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/cpu.h"
#include "harness/host.h"
#include "harness/inproc_peer.h"

namespace pairbench {
namespace {

class Watcher : public RunObserver {
 public:
  void agreed(const ResultDocument& document) override { cases = document.cases.size(); }
  void repeat_measured(const ResultDocument& document, std::size_t case_index) override {
    ++repeats;
    if (on_repeat) on_repeat(document, case_index);
  }
  void case_failed(const ResultDocument& /*document*/, std::size_t /*case_index*/) override {
    ++failed;
  }

  std::size_t cases = 0;
  std::size_t repeats = 0;
  std::size_t failed = 0;
  std::function<void(const ResultDocument&, std::size_t)> on_repeat;
};

Config quick_config() {
  Config config;
  config.transports = {parse_transport("inproc")};
  config.tests = {{pairbench::Test::pingpong, pairbench::Test::stream, pairbench::Test::bistream}};
  config.sizes = {{0, 8, 4096, 100'000}};
  config.iterations = 300;
  config.warmup_iterations = 20;
  config.repeats = 2;
  config.completion = CompletionMode::yield;
  return config;
}

// The run pins its thread; the tests after it are not to suffer.
class RunTest : public ::testing::Test {
 protected:
  ~RunTest() override { set_allowed_cpus(cpus_); }

  ResultDocument measure(const Config& config) {
    ResultDocument document;
    document.initiator_host = describe_this_host();
    InprocPeer peer;
    std::vector<Peer> peers;
    peers.push_back({peer.take_channel(), {0}, std::nullopt});
    pairbench::Run(config, std::move(peers), document, watcher_).execute();
    return document;
  }

  const std::vector<int> cpus_ = allowed_cpus();
  Watcher watcher_;
};

TEST_F(RunTest, MeasuresEveryCaseOfEveryRepeatWithEqualCounts) {
  const ResultDocument document = measure(quick_config());
  EXPECT_EQ(watcher_.cases, 12u);
  EXPECT_EQ(watcher_.repeats, 24u);
  for (const CaseResult& result : document.cases) {
    ASSERT_EQ(result.status, CaseStatus::ok);
    ASSERT_EQ(result.repeats.size(), 2u);
    for (const RepeatResult& repeat : result.repeats) {
      EXPECT_EQ(repeat.initiator.messages_sent, repeat.responder.messages_received);
      EXPECT_EQ(repeat.initiator.bytes_sent, repeat.responder.bytes_received);
      EXPECT_EQ(repeat.responder.messages_sent, repeat.initiator.messages_received);
      EXPECT_EQ(repeat.responder.bytes_sent, repeat.initiator.bytes_received);
    }
  }
}

TEST_F(RunTest, PingpongRowsAgreeWithThemselves) {
  const ResultDocument document = measure(quick_config());
  for (const CaseResult& result : document.cases) {
    if (result.plan.test != pairbench::Test::pingpong) continue;
    for (const RepeatResult& repeat : result.repeats) {
      EXPECT_EQ(repeat.messages, 300u);
      ASSERT_TRUE(repeat.latency);
      EXPECT_EQ(repeat.latency->rtt_ns.count, 300u);
      EXPECT_NEAR(repeat.latency->rtt_ns.mean->value * 300, repeat.elapsed_ns,
                  1e-6 * repeat.elapsed_ns);
      EXPECT_FALSE(repeat.forward);
    }
    ASSERT_TRUE(result.summary.rtt_ns);
    EXPECT_FALSE(result.summary.delivered_bytes_per_second);
  }
}

// With fewer than two round trips between two stamps each has a stamp of its own.
TEST_F(RunTest, TheStampsAreProbedFromTwoRoundTripsAChunkOn) {
  Config config = quick_config();
  config.tests = {{pairbench::Test::pingpong}};
  config.sizes = {{8}};
  config.iterations = 95;
  const ResultDocument few = measure(config);
  for (const RepeatResult& repeat : few.cases.at(0).repeats) EXPECT_FALSE(repeat.latency->probe);
  config.iterations = 96;
  const ResultDocument enough = measure(config);
  for (const RepeatResult& repeat : enough.cases.at(0).repeats) {
    ASSERT_TRUE(repeat.latency->probe);
    EXPECT_EQ(repeat.latency->probe->chunk, 2u);
    EXPECT_EQ(repeat.latency->probe->pairs, 6u);
  }
}

TEST_F(RunTest, StreamsCountAtTheReceiver) {
  const ResultDocument document = measure(quick_config());
  for (const CaseResult& result : document.cases) {
    if (result.plan.test == pairbench::Test::pingpong) continue;
    const bool both = result.plan.test == pairbench::Test::bistream;
    for (const RepeatResult& repeat : result.repeats) {
      EXPECT_EQ(repeat.messages, both ? 600u : 300u);
      ASSERT_TRUE(repeat.forward);
      EXPECT_EQ(repeat.backward.has_value(), both);
      EXPECT_LT(repeat.forward->interval_messages, 300u);
      EXPECT_EQ(repeat.forward->interval_bytes,
                repeat.forward->interval_messages * result.plan.size_bytes);
      EXPECT_FALSE(repeat.latency);
    }
  }
}

TEST_F(RunTest, CheckedPayloadsPass) {
  Config config = quick_config();
  config.check = true;
  config.iterations = 30;
  for (const CaseResult& result : measure(config).cases) EXPECT_EQ(result.status, CaseStatus::ok);
}

TEST_F(RunTest, TheFirstMessageIsReportedOncePerRepeat) {
  const ResultDocument document = measure(quick_config());
  std::vector<int> seen(2, 0);
  for (const CaseResult& result : document.cases)
    for (const RepeatResult& repeat : result.repeats)
      if (repeat.first_message_ns) ++seen[static_cast<std::size_t>(repeat.repeat)];
  EXPECT_EQ(seen, (std::vector<int>{1, 1}));
}

TEST_F(RunTest, BothEndsSayWhichClockTheyMeasuredWith) {
  Config config = quick_config();
  config.sizes = {{8}};
  config.clock = ClockChoice::raw;
  const ResultDocument document = measure(config);
  EXPECT_EQ(document.clock.value().source, ClockSource::raw);
  EXPECT_EQ(document.responder_clock.value().source, ClockSource::raw);
}

TEST_F(RunTest, ADurationIsReachedInBlocks) {
  Config config = quick_config();
  config.iterations.reset();
  config.duration = std::chrono::milliseconds(20);
  config.sizes = {{8}};
  const ResultDocument document = measure(config);
  for (const CaseResult& result : document.cases)
    for (const RepeatResult& repeat : result.repeats) EXPECT_GE(repeat.elapsed_ns, 0.95 * 20e6);
}

TEST_F(RunTest, NoWarmupMeansTheFirstRoundTripCounts) {
  Config config = quick_config();
  config.tests = {{pairbench::Test::pingpong}};
  config.iterations = 1;
  config.warmup_iterations = 0;
  const ResultDocument document = measure(config);
  for (const CaseResult& result : document.cases)
    for (const RepeatResult& repeat : result.repeats) {
      EXPECT_EQ(repeat.warmup_messages, 0u);
      EXPECT_EQ(repeat.initiator.messages_sent, 1u);
      EXPECT_EQ(repeat.latency->rtt_ns.count, 1u);
    }
}

TEST_F(RunTest, AnInterruptKeepsWhatWasMeasured) {
  ResultDocument document;
  document.initiator_host = describe_this_host();
  InprocPeer peer;
  std::vector<Peer> peers;
  peers.push_back({peer.take_channel(), {0}, std::nullopt});
  Channel* channel = peers.front().channel.get();
  watcher_.on_repeat = [&](const ResultDocument&, std::size_t) {
    if (watcher_.repeats == 5) channel->interrupt(2);
  };
  EXPECT_THROW(pairbench::Run(quick_config(), std::move(peers), document, watcher_).execute(),
               Interrupted);
  std::size_t kept = 0;
  for (const CaseResult& result : document.cases) kept += result.repeats.size();
  EXPECT_EQ(kept, 5u);
}

}  // namespace
}  // namespace pairbench
