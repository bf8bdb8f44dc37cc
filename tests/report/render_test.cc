#include "report/render.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "report/lines.h"
#include "report/samples.h"

namespace pairbench {
namespace {

TEST(Format, NamesAreReadBack) {
  for (const auto format :
       {Format::table, Format::csv, Format::markdown, Format::gbench, Format::json})
    EXPECT_EQ(parse_format(to_string(format)), format);
  EXPECT_THROW(parse_format("xml"), Error);
}

TEST(Csv, OneLineACaseWithTheSameColumns) {
  const auto lines = split_lines(render(samples::two_hosts(), Format::csv));
  ASSERT_EQ(lines.size(), 8u);
  EXPECT_EQ(lines[0].substr(0, 49), "transport,test,size_bytes,window,status,repeats,r");
  EXPECT_EQ(lines[2],
            "libfabric:tcp,pingpong,8,1,ok,9,28952,31200,30264,32136,32200,36200,,122448,31300,"
            ",,,,,,,,false,");
  EXPECT_EQ(lines[5],
            "libfabric:tcp,stream,1048576,64,skipped,0,,,,,,,,,,,,,,,,,,false,"
            "above the largest message");
  const auto columns = std::count(lines[0].begin(), lines[0].end(), ',');
  for (std::size_t i = 1; i < 7; ++i)
    EXPECT_EQ(std::count(lines[i].begin(), lines[i].end(), ','), columns) << lines[i];
}

TEST(Csv, TextIsQuotedWhereItMust) {
  ResultDocument document = samples::two_hosts();
  document.cases[4].reason = "says \"no\",\nor so";
  EXPECT_NE(render(document, Format::csv).find(",\"says \"\"no\"\",\nor so\"\n"),
            std::string::npos);
}

TEST(Render, NoControlCharacterOfATextGetsToATerminal) {
  const std::string hostile =
      "\x1b]0;taken\x07\xc2\x9b"
      "31m\r\x7f";
  ResultDocument document = samples::two_transports();
  document.run.complete = false;
  document.run.failure = Failure{ExitStatus::failed, Phase::open, hostile, hostile, hostile, ""};
  document.run.id = document.run.started_at = document.tool_version = hostile;
  document.initiator_host.hostname = document.responder_host->hostname = hostile;
  document.initiator_host.versions["libfabric"] = hostile;
  document.transports[0].plan.spec.label = document.transports[1].initiator->fabric = hostile;
  document.adjustments = {{hostile, hostile, hostile, hostile}};
  document.warnings = {{hostile, hostile, hostile}};
  document.cases[2].status = CaseStatus::failed;
  document.cases[2].reason = hostile;
  for (const Format format : {Format::table, Format::csv, Format::markdown, Format::gbench}) {
    const std::string text = render(document, format, true);
    for (const char* control : {"\x1b", "\x07", "\r"})
      EXPECT_EQ(text.find(control), std::string::npos) << to_string(format) << ' ' << text;
    if (format == Format::gbench) continue;  // JSON, which leaves the others as they are
    for (const char* control : {"\xc2\x9b", "\x7f"})
      EXPECT_EQ(text.find(control), std::string::npos) << to_string(format) << ' ' << text;
  }
}

TEST(Markdown, HasATableATest) {
  const std::string text = render(samples::two_transports(), Format::markdown);
  EXPECT_NE(text.find("\n**pingpong**\n\n"
                      "| transport | size | one way p50, us | interval | RTT p50, us | "
                      "RTT p99, us | RTT p99.9, us | RTT max, us |\n"
                      "|:--|--:|--:|--:|--:|--:|--:|--:|\n"
                      "| old | 8 | 15.6 | [15.1, 16.1] | 31.2 | 36.2 | n/a | 122.4 |\n"
                      "| verbs:rxe0/1/1 | 8 | 4.70 |"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("**bistream**"), std::string::npos);
}

TEST(Markdown, ABarInALabelDoesNotEndTheCell) {
  ResultDocument document = samples::two_hosts();
  document.transports[0].plan.spec.label = "a|b";
  EXPECT_NE(render(document, Format::markdown).find("| a\\|b | 8 |"), std::string::npos);
}

TEST(Gbench, HasAnEntryARepeatAndTheMedian) {
  const nlohmann::json json = nlohmann::json::parse(render(samples::two_hosts(), Format::gbench));
  EXPECT_EQ(json["context"]["host_name"], "nodeA");
  EXPECT_EQ(json["context"]["num_cpus"], 8);
  const nlohmann::json& all = json["benchmarks"];
  ASSERT_EQ(all.size(), 4u * 10);
  EXPECT_EQ(all[10]["name"], "libfabric:tcp/pingpong/8");
  EXPECT_EQ(all[10]["run_type"], "iteration");
  EXPECT_EQ(all[10]["real_time"], 31200 - 4 * 312);
  EXPECT_EQ(all[10]["time_unit"], "ns");
  EXPECT_EQ(all[19]["name"], "libfabric:tcp/pingpong/8_median");
  EXPECT_EQ(all[19]["run_name"], "libfabric:tcp/pingpong/8");
  EXPECT_EQ(all[19]["aggregate_name"], "median");
  EXPECT_EQ(all[19]["real_time"], 31200);
  const nlohmann::json& stream = all[29];
  EXPECT_NEAR(stream["real_time"].get<double>() * stream["items_per_second"].get<double>(), 1e9, 1);
  EXPECT_NEAR(stream["bytes_per_second"].get<double>(),
              stream["items_per_second"].get<double>() * 65536, 1);
}

TEST(Gbench, WhatWasNotMeasuredHasNoEntry) {
  const nlohmann::json json = nlohmann::json::parse(render(samples::sparse(), Format::gbench));
  ASSERT_EQ(json["benchmarks"].size(), 2u);
  EXPECT_FALSE(json["benchmarks"][1].contains("bytes_per_second"));
}

}  // namespace
}  // namespace pairbench
