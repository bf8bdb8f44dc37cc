#include "report/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <sstream>

#include "report/lines.h"
#include "report/notes.h"
#include "report/samples.h"

namespace pairbench {
namespace {

using samples::pingpong;
using samples::streaming;
constexpr auto kStreamTest = pairbench::Test::stream;
constexpr auto kBistreamTest = pairbench::Test::bistream;

std::vector<std::string> fields_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::string row(const CaseResult& result, bool provisional = false) {
  return render_row(samples::two_hosts(), result, provisional);
}

ResultDocument with_cases(std::vector<CaseResult> cases) {
  ResultDocument document = samples::two_hosts();
  document.cases = std::move(cases);
  return document;
}

TEST(Table, TwoHosts) {
  EXPECT_EQ(render_table(samples::two_hosts(), false),
            R"(# pairbench 0.1.0  nodeA <-> nodeB  run 3f2a  2026-11-29T14:02:11Z
# libfabric:tcp = libfabric:tcp+ofi_rxm/eth0 and libfabric:tcp+ofi_rxm/eth1 on the other end, fabric
#   TCP-IP, libfabric 1.17 (built 1.17), 25.0 Gb/s
# CPU 4 nodeA, CPU 5 nodeB
# pingpong, us one way (RTT/2)          | round trip (RTT)
#  size       p50  [interval]           |      p50      p99    p99.9       max
      8      15.6  [15.1, 16.1]         |     31.2     36.2      n/a     122.4
    64K      40.6  [39.4, 41.8]         |     81.2     86.2      n/a     174.4
# stream, one way, counted by nodeB
#  size      Gb/s  [interval]              Mmsg/s  %link
    64K      23.6  [22.9, 24.3]            0.0450     94
# bistream, both ways at once, each counted by its receiver, Gb/s
# left: together | right: nodeA -> nodeB, then back
#  size      Gb/s  [interval]              Mmsg/s |    there  %link     back  %link
     1M      31.9  [30.9, 32.8]           0.00380 |     16.8     67     15.1     60
# --completion poll: yield was taken (both ends share a CPU)
# --window 4096: 64 was taken for libfabric:tcp (the device's send queue, less the reserve for
#   credits)
# first message 412.3 us (handshake, not in the table)
# failed libfabric:tcp bistream 8: counts differ: 10 sent, 9 received
# skipped libfabric:tcp stream 1M, 2M: above the largest message
# quality B: nodeB: 3 involuntary context switches (isolate CPU 4)
# quality B: no CPU is pinned (use --cpu)
)");
}

TEST(Table, TwoTransportsStandInOneBlockATest) {
  const std::string table = render_table(samples::two_transports(), false);
  EXPECT_NE(table.find(R"(# pingpong, us one way (RTT/2)          | round trip (RTT)
#  size       p50  [interval]           |      p50      p99    p99.9       max
# old
      8      15.6  [15.1, 16.1]         |     31.2     36.2      n/a     122.4
# verbs:rxe0/1/1
      8      4.70  [4.56, 4.84]         |     9.40     14.4      n/a      99.8
# stream, one way, counted by nodeB
)"),
            std::string::npos)
      << table;
}

// Nine repeats of so many messages of 64 KiB a second, on a link of 25 Gb/s.
std::string stream_table(double rate, bool one_host = false) {
  CaseResult stream = streaming(0, kStreamTest, 64 << 10, std::vector<double>(9, rate));
  summarize(stream);
  ResultDocument document = with_cases({std::move(stream)});
  document.transports[0].one_host = one_host;
  return render_table(document, false);
}

TEST(Table, ALinkThatIsNotFilledMayNotBeAtFault) {
  const std::string said = "fills 79 % of the link at 64K: one core, one queue pair";
  EXPECT_NE(stream_table(37'600).find(said), std::string::npos) << stream_table(37'600);
  EXPECT_EQ(stream_table(39'000).find("of the link"), std::string::npos);
  EXPECT_EQ(stream_table(37'600, true).find("of the link"), std::string::npos);
}

TEST(Table, WhatIsNotMeasuredIsSaidAndNeverZero) {
  const auto lines = split_lines(render_table(samples::sparse(), false));
  std::vector<std::string> rows;
  for (const auto& line : lines)
    if (line[0] != '#') rows.push_back(line);
  EXPECT_EQ(rows,
            (std::vector<std::string>{
                "      0     0.600  [0.595, 0.605]       |     1.20     6.20      n/a      91.2",
                "      0       n/a  [n/a, n/a]                5.00    n/a",
                "      1       n/a  [n/a, n/a]                 n/a    n/a"}));
}

TEST(Table, RowsOfATestHaveTheSameFieldsWhateverIsMissing) {
  CaseResult empty = pingpong(0, 8, {1000});
  empty.repeats.clear();
  summarize(empty);
  EXPECT_EQ(fields_of(row(empty)).size(), fields_of(row(pingpong(0, 8, {1000}))).size());
  for (const auto test : {kStreamTest, kBistreamTest}) {
    CaseResult lacking = streaming(0, test, 8, {1000});
    const auto full = fields_of(row(lacking)).size();
    lacking.repeats.clear();
    summarize(lacking);
    EXPECT_EQ(fields_of(row(lacking)).size(), full);
  }
}

TEST(Table, FieldsStayApartAndLinesShortForFiguresOfAnySize) {
  const std::vector<double> figures = {0.001, 0.5,  999.9995, 1023.99, 1e6,  99999999.5,
                                       1e12,  1e15, 1e18,     9.2e18,  1e24, 1e300};
  constexpr std::uint64_t kSize = 1023;
  const std::vector<std::pair<CaseResult, std::size_t>> rows = {
      {pingpong(0, kSize, {1, 1}), 9},
      {streaming(0, kStreamTest, kSize, {1, 1}), 6},
      {streaming(0, kBistreamTest, kSize, {1, 1}), 10}};
  for (const double figure : figures) {
    const Estimate all{figure, figure, figure};
    for (auto [result, fields] : rows) {
      result.summary = {LatencySummary{all, all, all, all, all, all, all, all, all, {}}, all, all,
                        all, all};
      const std::string text = row(result);
      EXPECT_EQ(fields_of(text).size(), fields) << text;
      EXPECT_EQ(text.find("n/a"), std::string::npos) << text;
      EXPECT_LE(text.size(), 101u) << text;
    }
  }
}

TEST(Table, NothingIsFinerThanTheClocksStep) {
  ResultDocument document = samples::two_hosts();
  document.clock->quantum_ns = 40;
  const auto fields = fields_of(render_row(document, pingpong(0, 8, {114.2})));
  EXPECT_EQ(fields[1], "0.06");
  EXPECT_EQ(fields[5], "0.11");
}

TEST(Table, HostsThatAreCalledAlikeAreToldApart) {
  const std::string head = render_test_head(samples::sparse(), kBistreamTest);
  EXPECT_NE(head.find("right: initiator -> responder, then back"), std::string::npos) << head;
}

TEST(Table, AProvisionalRowIsMarked) {
  const CaseResult result = pingpong(0, 8, {31200});
  EXPECT_EQ(row(result, true), "~" + row(result).substr(1));
}

TEST(Table, NumbersOfOneRowAgree) {
  for (const double rate : {0.37, 12.5, 45000.0, 3.3e6}) {
    const auto fields = fields_of(row(streaming(0, kBistreamTest, 65536, {rate, rate * 1.01})));
    const double together = std::atof(fields[1].c_str());
    const double megamessages = std::atof(fields[4].c_str());
    const double there = std::atof(fields[6].c_str());
    const double link = std::atof(fields[7].c_str());
    const double back = std::atof(fields[8].c_str());
    EXPECT_NEAR(megamessages * 65536 * 8 / 1000, together, together * 0.011);
    EXPECT_NEAR(there + back, together, together * 0.011);
    EXPECT_NEAR(there / 25 * 100, link, link * 0.06);
  }
  for (const double rtt : {114.2, 31237.0, 99996.0, 7.2e9}) {
    const auto fields = fields_of(row(pingpong(0, 8, {rtt})));
    const double one_way = std::atof(fields[1].c_str());
    EXPECT_NEAR(one_way * 2, std::atof(fields[5].c_str()), one_way * 0.02);
  }
}

TEST(Table, LinesKeepTo100Columns) {
  ResultDocument document = samples::interrupted();
  document.run.failure->message = std::string(40, 'a') + " " + std::string(60, 'b') + " end";
  for (const auto& line : split_lines(render_table(document, true))) EXPECT_LE(line.size(), 100u);
}

TEST(Notes, ThreeWarningsUnlessVerbose) {
  ResultDocument document = with_cases({});
  document.warnings.assign(5, {"CODE", "something", ""});
  const std::string brief = render_notes(document, false);
  EXPECT_EQ(split_lines(brief).back(), "# 2 more of this kind: -v");
  EXPECT_EQ(brief.find("quality B: something"), brief.find("# quality") + 2);
  const auto all = split_lines(render_notes(document, true));
  EXPECT_EQ(std::count(all.begin(), all.end(), "# quality B: something"), 5);
}

TEST(Notes, AnIncompleteRunSaysWhy) {
  const auto lines = split_lines(render_notes(samples::interrupted(), false));
  EXPECT_EQ(lines[0], "# INCOMPLETE: nodeB: no data arrived in 10 s: peer lost");
  EXPECT_NE(std::find(lines.begin(), lines.end(), "# not run libfabric:tcp bistream 64K"),
            lines.end());
  ResultDocument killed = samples::interrupted();
  killed.run.failure.reset();
  EXPECT_EQ(split_lines(render_notes(killed, false))[0], "# INCOMPLETE: the run did not end");
}

TEST(Notes, CheckedPayloadsOneRepeatAndOneHostAreSaid) {
  ResultDocument document = samples::sparse();
  document.cases[0].plan.check = true;
  const std::string notes = render_notes(document, false);
  EXPECT_NE(notes.find("# one host: this is not a network measurement\n"), std::string::npos);
  EXPECT_NE(notes.find("# one repeat: intervals are within-run only, no verdict\n"),
            std::string::npos);
  EXPECT_NE(notes.find("# CHECKED: "), std::string::npos);
}

TEST(Notes, OneHostIsSaidOnce) {
  ResultDocument document = samples::sparse();
  document.warnings = {{"ONE_HOST", "both ends are on one host", ""}, {"OTHER", "else", ""}};
  const std::string notes = render_notes(document, true);
  EXPECT_EQ(notes.find("both ends are on one host"), std::string::npos);
  EXPECT_NE(notes.find("# quality B: else\n"), std::string::npos);
  document.transports[0].one_host = false;
  EXPECT_NE(render_notes(document, true).find("both ends are on one host"), std::string::npos);
}

TEST(Notes, TextOfThePeerReachesNoTerminal) {
  ResultDocument document = samples::interrupted();
  document.responder_host->hostname = "\x1b[31mevil\r\n# fake";
  document.warnings[0].message = "a\x1b]0;title\x07";
  const std::string table = render_table(document, true);
  EXPECT_EQ(table.find('\x1b'), std::string::npos);
  EXPECT_EQ(table.find('\r'), std::string::npos);
  EXPECT_EQ(table.find("\n# fake"), std::string::npos);
}

TEST(Comment, BreaksAtBlanksAndNeverInsideAWord) {
  EXPECT_EQ(comment("short"), "# short\n");
  EXPECT_EQ(comment(std::string(150, 'x')), "# " + std::string(150, 'x') + "\n");
  EXPECT_EQ(comment(std::string(150, 'x') + " y"), "# " + std::string(150, 'x') + "\n#   y\n");
  EXPECT_EQ(comment(std::string(98, 'x') + " y"), "# " + std::string(98, 'x') + "\n#   y\n");
}

}  // namespace
}  // namespace pairbench
