#include "compare/views.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "report/samples.h"

namespace pairbench {
namespace {

TransportComparison sample(const ResultDocument& document) {
  return compare({&document, 0, "a.json"}, {&document, 1, "a.json"}, default_metrics());
}

TEST(ComparisonText, SaysTheWholeFirstAndThenEverySize) {
  const auto document = samples::two_transports();
  EXPECT_EQ(render_comparison(sample(document), false),
            R"(# verbs:rxe0/1/1 against old, interleaved, 9 repeats
# overall pingpong p50  0.3013x [0.3013, 0.3013]  FASTER
# overall stream delivered_bytes_per_second  2.200x [2.200, 2.200]  FASTER
# pingpong p50, one way (RTT/2), us; lower is better
#   size  baseline candidate   ratio  [interval]        verdict
       8      15.6      4.70  0.3013  [0.3013, 0.3013]  faster
# stream delivered_bytes_per_second, Gb/s; higher is better
#   size  baseline candidate   ratio  [interval]        verdict
      4K      1.47      3.24   2.200  [2.200, 2.200]    faster
# where the difference arises: ns of a round trip more than the baseline spends in its calls, and in
#   waiting for all else
#  size post_send              post_recv              poll                   wait
#     8 -2180 [-2234, -2126]   -1090 [-1117, -1063]   -4360 [-4469, -4251]   -14170 [-14524, -13816]
)");
}

TEST(ComparisonText, NoControlCharacterOfATextGetsToATerminal) {
  auto document = samples::two_transports();
  document.transports[1].plan.spec.label = "\x1b]0;taken\x07";
  document.cases[1].quality = Quality{Grade::c, {"\x1b[2J"}};
  const Regression regression{1, {"\x1b[31m p50 8"}, {"\x1b[31m p50 64: \x1b"}};
  for (const std::string& text :
       {render_comparison(sample(document), true), render_regression(regression, 0.05),
        render_regression({1, {}, regression.undecided}, 0.05)})
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
}

TEST(ComparisonText, NoLineIsLongerThanAHundredColumns) {
  auto document = samples::two_transports();
  document.cases[1].quality = Quality{Grade::c, {"PROBE_5"}};
  document.cases.push_back(samples::not_measured(1, pairbench::Test::stream, 1 << 20,
                                                 CaseStatus::skipped, "above the largest message"));
  document.cases.push_back(
      samples::streaming(0, pairbench::Test::stream, 1 << 20, {5, 6, 7, 8, 9, 10}));
  std::istringstream text(render_comparison(sample(document), true));
  std::size_t lines = 0;
  for (std::string line; std::getline(text, line); ++lines) EXPECT_LE(line.size(), 100u) << line;
  EXPECT_GT(lines, 8u);
}

TEST(ComparisonText, AfterARunStandOnlyItsOverallVerdicts) {
  auto document = samples::two_transports();
  EXPECT_EQ(render_overall(sample(document)),
            R"(# verbs:rxe0/1/1 against old, interleaved, 9 repeats
# overall pingpong p50  0.3013x [0.3013, 0.3013]  FASTER
# overall stream delivered_bytes_per_second  2.200x [2.200, 2.200]  FASTER
)");
  for (CaseResult& result : document.cases) result.quality = Quality{Grade::c, {"PROBE_5"}};
  EXPECT_EQ(render_overall(sample(document)), "");
  EXPECT_NE(render_comparison(sample(document), false)
                .find("# overall pingpong p50 n/a: baseline grade C: PROBE_5\n"),
            std::string::npos);
}

TEST(ComparisonText, ASizeWithoutASplitIsSaid) {
  auto document = samples::two_transports();
  for (const int transport : {0, 1}) {
    document.cases.push_back(samples::pingpong(transport, 4096, std::vector<double>(9, 50000)));
    document.cases.back().repeats[3].latency->split.reset();
    summarize(document.cases.back());
  }
  EXPECT_NE(
      render_comparison(sample(document), false).find("# not told for 4K: too few round trips\n"),
      std::string::npos);
}

TEST(ComparisonText, AnIntervalThatLeavesOutOneWithoutAVerdictIsExplained) {
  const auto document = samples::two_transports();
  auto comparison = sample(document);
  auto& size = comparison.families[0].sizes[0];
  size.verdict = Verdict::not_shown;
  const std::string text = render_comparison(comparison, false);
  EXPECT_NE(text.find("no difference shown"), std::string::npos);
  EXPECT_NE(text.find("chance"), std::string::npos);
}

TEST(ComparisonJson, HoldsWhatTheTableShows) {
  const auto document = samples::two_transports();
  const std::vector<TransportComparison> one = {sample(document)};
  const auto json = comparisons_json(one);
  EXPECT_EQ(json["kind"], "comparison");
  const auto& comparison = json["comparisons"][0];
  EXPECT_EQ(comparison["baseline"]["name"], "old");
  EXPECT_EQ(comparison["candidate"]["repeats"], 9);
  const auto& size = comparison["families"][0]["sizes"][0];
  EXPECT_EQ(size["size_bytes"], 8);
  EXPECT_EQ(size["verdict"], "faster");
  EXPECT_TRUE(size["reason"].is_null());
  EXPECT_NEAR(size["ratio"].get<double>(), 9400.0 / 31200, 1e-3);
}

TEST(ComparisonJson, WhatHasNoVerdictHasNullsAndAReason) {
  auto document = samples::two_transports();
  const auto comparison = compare({&document, 0, ""}, {&document, 1, ""}, parse_metrics("p99_9"));
  const auto size = comparison_json(comparison)["families"][0]["sizes"][0];
  for (const char* key : {"baseline", "candidate", "ratio", "low", "high", "p"})
    EXPECT_TRUE(size[key].is_null()) << key;
  EXPECT_EQ(size["verdict"], "not_comparable");
  EXPECT_EQ(size["reason"], "not measured: baseline");
}

TEST(RegressionText, NamesWhatWasFound) {
  Regression regression;
  regression.tested = 6;
  EXPECT_EQ(render_regression(regression, 0.05), "no regression beyond 5% shown in 6 sizes\n");
  regression.undecided = {"stream 64K: only the baseline has it"};
  EXPECT_EQ(render_regression(regression, 0.025),
            "UNDECIDED at 2.5%: stream 64K: only the baseline has it (exit 6)\n");
  regression.found = {"pingpong p50 64"};
  EXPECT_EQ(render_regression(regression, 0.05),
            "REGRESSION beyond 5%: pingpong p50 64 (exit 3)\n");
}

}  // namespace
}  // namespace pairbench
