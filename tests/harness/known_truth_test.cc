// What is reported, where the truth is known: an endpoint injects it.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <thread>
#include <vector>

#include "harness/delayed_endpoint.h"
#include "harness/delayed_pingpong.h"
#include "harness/stream_interval.h"
#include "report/document.h"
#include "stats/samples.h"
#include "workload/checkpoints.h"
#include "workload/inproc_pair.h"
#include "workload/stream.h"

namespace pairbench::testing {
namespace {

// ln X is normal, with median `middle`.
std::function<Ticks()> log_normal(std::uint64_t seed, double middle, double sigma) {
  return [random = std::mt19937_64(seed), normal = std::normal_distribution<double>(0, sigma),
          middle]() mutable {
    return static_cast<Ticks>(std::lround(middle * std::exp(normal(random))));
  };
}

TEST(KnownTruth, QuantilesUpTo99_9AreWithinOnePercent) {
  constexpr double kMiddle = 20000;
  constexpr double kSigma = 0.3;
  Samples samples(nanosecond_ticks());
  samples.add(measure(1'000'000, log_normal(1, kMiddle, kSigma)));
  const QuantileSet found = samples.digest();
  // Standard normal quantiles.
  const std::pair<std::optional<Estimate>, double> truths[] = {
      {found.p50, 0}, {found.p90, 1.281552}, {found.p99, 2.326348}, {found.p99_9, 3.090232}};
  for (const auto& [estimate, z] : truths) {
    ASSERT_TRUE(estimate);
    const double truth = kMiddle * std::exp(z * kSigma);
    EXPECT_NEAR(estimate->value, truth, 0.01 * truth) << z;
    ASSERT_TRUE(estimate->low && estimate->high);
    EXPECT_LE(*estimate->low, truth * 1.001);
    EXPECT_GE(*estimate->high, truth * 0.999);
  }
  EXPECT_NEAR(found.mean->value, kMiddle * std::exp(kSigma * kSigma / 2), 0.01 * kMiddle);
}

TEST(KnownTruth, TheHeadlinesIntervalCoversItInNinetyThreeOfAHundredRuns) {
  constexpr int kRuns = 200;
  constexpr int kRepeats = 9;
  constexpr double kTruth = 100000;
  int covered = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::mt19937_64 random(static_cast<std::uint64_t>(run));
    std::normal_distribution<double> between(0, 0.01);
    CaseResult result;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      Samples samples(nanosecond_ticks());
      samples.add(measure(400, dependent(random, kTruth * (1 + between(random)), 0.03)));
      result.repeats.emplace_back().latency.emplace().rtt_ns = samples.digest();
    }
    summarize(result);
    const Estimate& headline = *result.summary.rtt_ns->p50;
    covered += *headline.low <= kTruth && kTruth <= *headline.high ? 1 : 0;
  }
  EXPECT_GE(covered, 0.93 * kRuns);
  EXPECT_LT(covered, kRuns);  // an interval that is never wrong says too little
}

TEST(KnownTruth, ABandwidthIsWithinOnePercentOfTheRate) {
  constexpr std::uint64_t kMessages = 20000;
  constexpr double kNsPerMessage = 10000;
  const PairOptions options{.size = 4096};
  Pair pair(options);
  auto pa = pair.a.plain();
  auto pb = pair.b.plain();
  StreamJob job{
      true, false, kMessages, 0, options.window, options.rx_depth, credit_every(options.rx_depth)};
  std::thread sender([&, job] {
    std::vector<Checkpoint> storage(16);
    Checkpoints none(storage);
    auto flow = pair.a.flow(pa);
    flow.start_block();
    stream(flow, RawClock{}, job, pair.a.link, none);
  });

  Ticks time = 0;
  DelayedEndpoint endpoint(pair.b.endpoint, time, log_normal(2, kNsPerMessage, 0.5));
  Flow<decltype(endpoint), PlainPayload> flow(endpoint, pair.b.ring, pair.b.spent, pb,
                                              pair.b.waiter, 1);
  std::vector<Checkpoint> storage(256);
  Checkpoints stamps(storage);
  stamps.clear();
  flow.start_block();
  std::swap(job.sends, job.receives);
  stream(flow, VirtualClock{&time}, job, pair.b.link, stamps);
  sender.join();

  Case c;
  c.size_bytes = options.size;
  c.iterations = kMessages;
  const StreamInterval found = stream_interval(c, stamps.all(), kMessages, nanosecond_ticks());
  const double rate = 4096 / (kNsPerMessage * std::exp(0.5 * 0.5 / 2));  // by the mean delay
  ASSERT_TRUE(found.ns);
  EXPECT_NEAR(static_cast<double>(found.bytes) / *found.ns, rate, 0.01 * rate);
  EXPECT_EQ(found.messages, kMessages - 1);
}

}  // namespace
}  // namespace pairbench::testing
