// The verdicts where the truth is known: round trips over inproc whose delays are drawn, with a
// spread of 1 % between repeats and 3 % within, neighbours resembling each other.
#include <gtest/gtest.h>

#include <random>

#include "compare/compare.h"
#include "harness/delayed_pingpong.h"
#include "plan/transport_spec.h"
#include "stats/samples.h"

namespace pairbench {
namespace {

constexpr int kSeeds = 200;
constexpr int kRepeats = 9;
constexpr std::uint64_t kSizes[] = {8, 4096, 65536};
constexpr double kMedianNs = 100000;

RepeatResult repeat_of(int number, std::mt19937_64& random, double median_ns) {
  std::normal_distribution<double> between(0, 0.01);
  Samples samples(testing::nanosecond_ticks());
  samples.add(
      testing::measure(100, testing::dependent(random, median_ns * (1 + between(random)), 0.03)));
  RepeatResult repeat;
  repeat.repeat = number;
  repeat.latency.emplace().rtt_ns = samples.digest();
  return repeat;
}

CaseResult case_of(int transport, std::uint64_t size, std::mt19937_64& random, double median_ns) {
  CaseResult result;
  result.plan.transport = transport;
  result.plan.size_bytes = size;
  result.status = CaseStatus::ok;
  for (int repeat = 0; repeat < kRepeats; ++repeat)
    result.repeats.push_back(repeat_of(repeat, random, median_ns));
  summarize(result);
  return result;
}

// Two transports, the second slower by `slowdown`.
ResultDocument document_of(std::uint64_t seed, double slowdown) {
  std::mt19937_64 random(seed);
  ResultDocument document;
  document.repeats = kRepeats;
  for (const char* name : {"a=inproc", "b=inproc"})
    document.transports.emplace_back().plan.spec = parse_transport(name);
  for (const std::uint64_t size : kSizes) {
    document.cases.push_back(case_of(0, size, random, kMedianNs));
    document.cases.push_back(case_of(1, size, random, kMedianNs * (1 + slowdown)));
  }
  return document;
}

bool is_shown(Verdict verdict) {
  return verdict == Verdict::faster || verdict == Verdict::slower;
}

struct Trial {
  int families_that_speak = 0;
  int sizes_slower = 0;
  int sizes_covered = 0;  // the interval holds the truth
  int overall_slower = 0;
};

Trial trial(double slowdown) {
  const auto metrics = default_metrics();
  Trial out;
  for (int seed = 0; seed < kSeeds; ++seed) {
    const ResultDocument document = document_of(static_cast<std::uint64_t>(seed), slowdown);
    const auto comparison = compare({&document, 0, ""}, {&document, 1, ""}, metrics);
    const Family& family = comparison.families.at(0);
    bool speaks = false;
    for (const SizeComparison& size : family.sizes) {
      const Bounds interval = *size.comparison->interval;
      out.sizes_slower += size.verdict == Verdict::slower ? 1 : 0;
      out.sizes_covered += interval.low <= 1 + slowdown && 1 + slowdown <= interval.high ? 1 : 0;
      speaks = speaks || is_shown(*size.verdict);
    }
    out.families_that_speak += speaks ? 1 : 0;
    out.overall_slower += family.overall->verdict == Verdict::slower ? 1 : 0;
  }
  return out;
}

constexpr int kTested = kSeeds * static_cast<int>(std::size(kSizes));

TEST(Trial, ASlowdownOfThreePercentIsFound) {
  const Trial found = trial(0.03);
  EXPECT_GE(found.sizes_slower, 0.9 * kTested);
  EXPECT_GE(found.sizes_covered, 0.9 * kTested);
  EXPECT_GE(found.overall_slower, 0.9 * kSeeds);
}

TEST(Trial, WithoutADifferenceAtMostOneFamilyInTwentySpeaks) {
  const Trial found = trial(0);
  // 5 % of 200 and twice the binomial's standard deviation.
  EXPECT_LE(found.families_that_speak, 16);
  EXPECT_GE(found.sizes_covered, 0.93 * kTested);
  EXPECT_LT(found.sizes_covered, kTested);
}

}  // namespace
}  // namespace pairbench
