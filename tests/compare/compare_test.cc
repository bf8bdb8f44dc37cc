#include "compare/compare.h"

#include <gtest/gtest.h>

#include "report/samples.h"

namespace pairbench {
namespace {

using samples::pingpong;
using samples::streaming;

std::vector<double> around(double middle, int repeats = 9) {
  std::vector<double> values;
  for (int i = 0; i < repeats; ++i) values.push_back(middle * (1 + 0.001 * i));
  return values;
}

ResultDocument with_cases(std::vector<CaseResult> cases) {
  ResultDocument document = samples::two_transports();
  document.cases = std::move(cases);
  return document;
}

TransportComparison compare_both(const ResultDocument& document) {
  return compare({&document, 0, "a.json"}, {&document, 1, "a.json"}, default_metrics());
}

const SizeComparison& first_size(const TransportComparison& comparison) {
  return comparison.families.at(0).sizes.at(0);
}

TEST(Compare, OneFamilyForEachTestAndItsMetric) {
  const auto document = samples::two_transports();
  const auto comparison = compare_both(document);
  EXPECT_TRUE(comparison.paired);
  ASSERT_EQ(comparison.families.size(), 2u);
  EXPECT_EQ(comparison.families[0].metric->name, "p50");
  EXPECT_EQ(comparison.families[1].metric->name, "delivered_bytes_per_second");
  const SizeComparison& latency = first_size(comparison);
  EXPECT_EQ(latency.size_bytes, 8u);
  EXPECT_EQ(latency.baseline, 31200);
  EXPECT_EQ(latency.candidate, 9400);
  EXPECT_NEAR(latency.comparison->ratio, 9400.0 / 31200, 1e-3);
  EXPECT_EQ(latency.verdict, Verdict::faster);
  EXPECT_EQ(comparison.families[1].sizes[0].verdict, Verdict::faster);
}

TEST(Compare, AHigherRateIsFasterAndALowerOneSlower) {
  const auto document = with_cases({streaming(0, pairbench::Test::stream, 64, around(9000)),
                                    streaming(1, pairbench::Test::stream, 64, around(4500))});
  EXPECT_EQ(first_size(compare_both(document)).verdict, Verdict::slower);
}

TEST(Compare, TheOverallRatioIsTheGeometricMeanOverSizes) {
  const auto document =
      with_cases({pingpong(0, 8, around(10000)), pingpong(1, 8, around(20000)),
                  pingpong(0, 64, around(10000)), pingpong(1, 64, around(80000))});
  const auto comparison = compare_both(document);
  const auto& overall = comparison.families.at(0).overall;
  ASSERT_TRUE(overall);
  EXPECT_NEAR(overall->comparison.ratio, 4, 1e-9);
  EXPECT_EQ(overall->verdict, Verdict::slower);
}

TEST(Compare, RepeatsArePairedByTheirNumber) {
  // A drift common to both cancels only where the same repeats stand against each other.
  std::vector<double> drift;
  for (int i = 0; i < 9; ++i) drift.push_back(10000 * (1 + 0.5 * i));
  auto document = with_cases({pingpong(0, 8, drift), pingpong(1, 8, drift)});
  auto& repeats = document.cases[1].repeats;
  std::reverse(repeats.begin(), repeats.end());
  const SizeComparison size = first_size(compare_both(document));
  EXPECT_NEAR(size.comparison->ratio, 1, 1e-12);
  EXPECT_EQ(size.verdict, Verdict::equal);
}

TEST(Compare, AgainstItselfShowsNothing) {
  const auto document = samples::two_hosts();
  const auto copy = document;
  const auto comparison =
      compare({&document, 0, "a.json"}, {&copy, 0, "b.json"}, default_metrics());
  EXPECT_FALSE(comparison.paired);
  EXPECT_TRUE(comparison.differences.empty());
  ASSERT_FALSE(comparison.families.empty());
  for (const Family& family : comparison.families)
    for (const SizeComparison& size : family.sizes) {
      EXPECT_EQ(size.comparison->ratio, 1);
      EXPECT_TRUE(size.verdict == Verdict::equal || size.verdict == Verdict::not_shown);
    }
}

TEST(Compare, TooFewRepeatsGiveARatioAndNoVerdict) {
  const auto document =
      with_cases({pingpong(0, 8, around(10000, 5)), pingpong(1, 8, around(20000, 5))});
  const auto comparison = compare_both(document);
  const SizeComparison& size = first_size(comparison);
  EXPECT_NEAR(size.comparison->ratio, 2, 1e-9);
  EXPECT_FALSE(size.verdict);
  EXPECT_EQ(size.reason, "5 of 6 repeats needed");
  EXPECT_FALSE(comparison.families[0].overall);
}

TEST(Compare, ManySizesNeedMoreRepeatsThanOneTestOfThemAll) {
  std::vector<CaseResult> cases;
  for (std::uint64_t size = 1; size <= 8; ++size) {
    cases.push_back(pingpong(0, size, around(10000, 6)));
    cases.push_back(pingpong(1, size, around(20000, 6)));
  }
  const auto document = with_cases(std::move(cases));
  const auto comparison = compare_both(document);
  EXPECT_EQ(first_size(comparison).reason, "6 of 9 repeats needed");
  ASSERT_TRUE(comparison.families[0].overall);
  EXPECT_EQ(comparison.families[0].overall->verdict, Verdict::slower);
}

TEST(Compare, GradeCGivesNoVerdictAndSaysWhy) {
  auto document = with_cases({pingpong(0, 8, around(10000)), pingpong(1, 8, around(20000))});
  document.cases[1].quality = Quality{Grade::c, {"PROBE_5", "ONE_HOST"}};
  const auto comparison = compare_both(document);
  const SizeComparison& size = first_size(comparison);
  EXPECT_FALSE(size.verdict);
  EXPECT_EQ(size.reason, "candidate grade C: PROBE_5");
}

TEST(Compare, AnotherWindowIsNotComparable) {
  auto document = with_cases({streaming(0, pairbench::Test::stream, 64, around(9000)),
                              streaming(1, pairbench::Test::stream, 64, around(4500))});
  document.cases[1].plan.window = 16;
  EXPECT_EQ(first_size(compare_both(document)).reason, "window 64 against 16");
}

TEST(Compare, OneHostAgainstTwoIsNotComparable) {
  auto document = with_cases({pingpong(0, 8, around(10000)), pingpong(1, 8, around(20000))});
  document.transports[1].one_host = true;
  EXPECT_EQ(first_size(compare_both(document)).reason, "one host against two");
}

TEST(Compare, AFigureThatOneSideLacksIsSaid) {
  const auto document = with_cases({pingpong(0, 8, around(10000)), pingpong(1, 8, around(20000))});
  const auto comparison = compare({&document, 0, ""}, {&document, 1, ""}, parse_metrics("p99_9"));
  EXPECT_EQ(first_size(comparison).reason, "not measured: baseline");
  EXPECT_FALSE(first_size(comparison).comparison);
}

TEST(Compare, CasesOfOneSideAloneAreListed) {
  const auto document = with_cases(
      {pingpong(0, 8, around(10000)), pingpong(0, 64, around(10000)),
       samples::not_measured(1, pairbench::Test::pingpong, 8, CaseStatus::failed, "counts differ"),
       streaming(1, pairbench::Test::stream, 64, around(9000))});
  const auto comparison = compare_both(document);
  EXPECT_TRUE(comparison.families.empty());
  ASSERT_EQ(comparison.only_in_baseline.size(), 2u);
  EXPECT_EQ(comparison.only_in_baseline[0].reason, "failed: counts differ");
  EXPECT_EQ(comparison.only_in_baseline[1].reason, "");
  ASSERT_EQ(comparison.only_in_candidate.size(), 1u);
  EXPECT_EQ(comparison.only_in_candidate[0].test, pairbench::Test::stream);
}

TEST(Compare, WhatDiffersBetweenTwoRunsIsNamed) {
  auto older = samples::two_hosts();
  older.config.signal_every = 1;
  auto newer = older;
  newer.responder_host->kernel = "6.12.0";
  newer.transports[0].initiator->mtu_bytes = 1500;
  newer.config.signal_every = 8;
  newer.initiator_host.environment.clear();
  newer.responder_host->governor.reset();
  newer.run.id = "another";
  newer.clock->ns_per_tick = 0.5;
  const auto comparison = compare({&older, 0, "a"}, {&newer, 0, "b"}, default_metrics());
  std::vector<std::string> found;
  for (const Difference& d : comparison.differences)
    found.push_back(d.what + " " + d.baseline + " " + d.candidate);
  EXPECT_EQ(found, (std::vector<std::string>{"hosts.initiator.environment.FI_PROVIDER tcp -",
                                             "hosts.responder.kernel 6.1.0-42-amd64 6.12.0",
                                             "hosts.responder.governor performance -",
                                             "config.signal_every 1 8",
                                             "transport.initiator.mtu_bytes 9000 1500"}));
}

TEST(Compare, WithinOneRunOnlyWhatEachTransportWasGivenIsNamed) {
  auto document = samples::two_transports();
  document.transports[1].plan.rx_depth = 256;
  document.transports[1].initiator->provider = "verbs";
  const auto comparison = compare_both(document);
  ASSERT_EQ(comparison.differences.size(), 1u);
  EXPECT_EQ(comparison.differences[0].what, "plan.rx_depth");
}

TEST(Compare, SaysInWhichPartOfARoundTripTheDifferenceArises) {
  auto document = with_cases({pingpong(0, 8, around(10000)), pingpong(1, 8, around(10000))});
  for (RepeatResult& repeat : document.cases[1].repeats) repeat.latency->split->post_send_ns += 310;
  summarize(document.cases[1]);
  const auto comparison = compare_both(document);
  ASSERT_EQ(comparison.split.size(), 1u);
  ASSERT_EQ(comparison.split[0].parts.size(), 4u);
  const PartComparison& post_send = comparison.split[0].parts[0];
  EXPECT_EQ(post_send.part, "post_send");
  EXPECT_NEAR(post_send.difference_ns.value, 310, 1e-6);
  EXPECT_NEAR(*post_send.difference_ns.low, 310, 1e-6);
  EXPECT_NEAR(post_send.candidate_ns - post_send.baseline_ns, 310, 1e-6);
  EXPECT_NEAR(comparison.split[0].parts[3].difference_ns.value, 0, 1e-6);
}

TEST(Metrics, AreParsedByTheirNames) {
  EXPECT_EQ(parse_metrics("p99,p50,p99").size(), 2u);
  EXPECT_THROW(parse_metrics("p98"), Error);
  EXPECT_THROW(parse_metrics(""), Error);
  EXPECT_THROW(parse_metrics("p50,"), Error);
}

}  // namespace
}  // namespace pairbench
