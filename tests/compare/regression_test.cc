#include "compare/regression.h"

#include <gtest/gtest.h>

#include "report/samples.h"

namespace pairbench {
namespace {

// One size, slower by `ratio`, its interval some thousandths wide.
TransportComparison of_ratio(const ResultDocument& document, double low, double high,
                             std::optional<Verdict> verdict, const char* metric = "p50") {
  TransportComparison out;
  out.baseline = out.candidate = {&document, 0, "a.json"};
  Family family;
  family.metric = parse_metrics(metric)[0];
  family.test =
      family.metric->unit == Unit::ns ? pairbench::Test::pingpong : pairbench::Test::stream;
  SizeComparison size;
  size.size_bytes = 64;
  size.comparison = Comparison{(low + high) / 2, Bounds{low, high}, Bounds{low, high}, 0.01};
  size.verdict = verdict;
  size.reason = verdict ? "" : "grade C";
  family.sizes = {size};
  out.families = {family};
  return out;
}

class RegressionTest : public ::testing::Test {
 protected:
  Regression find(double low, double high, std::optional<Verdict> verdict,
                  const char* metric = "p50", bool strict = false) {
    const std::vector<TransportComparison> one = {of_ratio(document_, low, high, verdict, metric)};
    return find_regression(one, 0.05, strict);
  }
  ResultDocument document_ = samples::two_transports();
};

TEST_F(RegressionTest, IsSlowerWithTheWholeIntervalBeyond) {
  const Regression found = find(1.06, 1.10, Verdict::slower);
  EXPECT_EQ(found.status(), ExitStatus::regression);
  EXPECT_EQ(found.found, (std::vector<std::string>{"pingpong p50 64"}));
}

TEST_F(RegressionTest, IsNoneWhereTheIntervalReachesBelowTheLimit) {
  EXPECT_EQ(find(1.04, 1.10, Verdict::slower).status(), ExitStatus::done);
  EXPECT_EQ(find(1.06, 1.10, Verdict::not_shown).status(), ExitStatus::done);
  EXPECT_EQ(find(0.5, 0.6, Verdict::faster).status(), ExitStatus::done);
}

TEST_F(RegressionTest, OfARateIsALossBeyondTheLimit) {
  const char* rate = "delivered_bytes_per_second";
  EXPECT_EQ(find(0.90, 0.951, Verdict::slower, rate).status(), ExitStatus::regression);
  EXPECT_EQ(find(0.90, 0.953, Verdict::slower, rate).status(), ExitStatus::done);
  EXPECT_EQ(find(1.5, 1.6, Verdict::faster, rate).status(), ExitStatus::done);
}

TEST_F(RegressionTest, WithoutAVerdictIsUndecided) {
  const Regression found = find(1.06, 1.10, std::nullopt);
  EXPECT_EQ(found.status(), ExitStatus::undecidable);
  EXPECT_EQ(found.undecided, (std::vector<std::string>{"pingpong p50 64: grade C"}));
}

TEST_F(RegressionTest, StrictWantsTheLimitExcluded) {
  EXPECT_EQ(find(0.97, 1.06, Verdict::not_shown, "p50", true).status(), ExitStatus::undecidable);
  EXPECT_EQ(find(0.97, 1.04, Verdict::not_shown, "p50", true).status(), ExitStatus::done);
  EXPECT_EQ(find(1.02, 1.06, Verdict::slower, "p50", true).status(), ExitStatus::undecidable);
  EXPECT_EQ(find(1.02, 1.04, Verdict::slower, "p50", true).status(), ExitStatus::done);
}

TEST_F(RegressionTest, ACaseThatTheCandidateLacksIsUndecided) {
  TransportComparison comparison = of_ratio(document_, 0.99, 1.01, Verdict::equal);
  comparison.only_in_baseline = {{pairbench::Test::stream, 65536, "failed: counts differ"}};
  const Regression found = find_regression({&comparison, 1}, 0.05, false);
  EXPECT_EQ(found.status(), ExitStatus::undecidable);
}

TEST_F(RegressionTest, WithNothingTestedIsUndecided) {
  EXPECT_EQ(find_regression({}, 0.05, false).status(), ExitStatus::undecidable);
}

}  // namespace
}  // namespace pairbench
