#include "report/partial.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <system_error>

#include "base/error.h"
#include "report/document_json.h"
#include "report/quality.h"
#include "report/samples.h"
#include "report/temporary_folder.h"

namespace pairbench {
namespace {

// The document before anything was measured, and the lines of all that was.
struct Lines {
  ResultDocument planned;
  std::vector<std::string> lines;

  std::string text() const {
    std::string all = partial_header(planned);
    for (const auto& line : lines) all += line;
    return all;
  }
};

Lines lines_of(const ResultDocument& document) {
  Lines result{document, {}};
  for (auto& planned : result.planned.cases) {
    planned.repeats.clear();
    planned.summary = {};
    if (planned.status != CaseStatus::skipped) planned.status = CaseStatus::not_run;
    if (planned.status != CaseStatus::skipped) planned.reason.clear();
  }
  for (int repeat = 0; repeat < document.repeats; ++repeat)
    for (std::size_t i = 0; i < document.cases.size(); ++i)
      if (const auto& repeats = document.cases[i].repeats; !repeats.empty())
        result.lines.push_back(partial_repeat(i, repeats.at(static_cast<std::size_t>(repeat))));
  for (std::size_t i = 0; i < document.cases.size(); ++i)
    if (document.cases[i].status == CaseStatus::failed)
      result.lines.push_back(partial_end(i, CaseStatus::failed, document.cases[i].reason));
  return result;
}

std::string refusal_of(const std::string& text) {
  try {
    parse_partial(text, "r.partial");
  } catch (const Error& error) {
    return error.failure().message;
  }
  return "no complaint";
}

TEST(Partial, AllLinesAmountToTheDocument) {
  ResultDocument document = samples::two_hosts();
  const std::string text = lines_of(document).text();
  ASSERT_TRUE(is_partial(text));
  const ResultDocument read = parse_partial(text, "r.partial");
  document.run.complete = false;
  assess(document);
  EXPECT_EQ(document_text(read), document_text(document));
}

TEST(Partial, WhatHasNotRunIsSaidAndTheRestIsSummarized) {
  const Lines lines = lines_of(samples::two_hosts());
  const ResultDocument read =
      parse_partial(partial_header(lines.planned) + lines.lines[0] + lines.lines[4], "r.partial");
  EXPECT_FALSE(read.run.complete);
  EXPECT_EQ(read.cases[0].status, CaseStatus::ok);
  EXPECT_EQ(read.cases[0].repeats.size(), 2u);
  EXPECT_TRUE(read.cases[0].summary.rtt_ns);
  EXPECT_EQ(read.cases[1].status, CaseStatus::not_run);
  EXPECT_FALSE(read.cases[1].summary.rtt_ns);
}

TEST(Partial, ATornLastLineIsLeftOutWhereverItIsTorn) {
  const Lines lines = lines_of(samples::two_hosts());
  const std::string before = partial_header(lines.planned) + lines.lines[0];
  const std::string whole = before + lines.lines[1];
  const std::string expected = document_text(parse_partial(before, "r.partial"));
  for (std::size_t end = before.size(); end < whole.size(); end += 61)
    EXPECT_EQ(document_text(parse_partial(whole.substr(0, end), "r.partial")), expected) << end;
}

TEST(Partial, ATornHeaderHoldsNothing) {
  const std::string header = partial_header(samples::two_hosts());
  const std::string torn = header.substr(0, header.size() - 1);
  EXPECT_TRUE(is_partial(torn));
  EXPECT_EQ(refusal_of(torn), "r.partial: the run ended before its first line was written");
}

TEST(Partial, ABadLineInTheMiddleIsNamed) {
  const Lines lines = lines_of(samples::two_hosts());
  const std::string header = partial_header(lines.planned);
  EXPECT_EQ(refusal_of(header + "{\"case\":\n" + lines.lines[0]),
            "r.partial, line 2: this is not JSON");
  EXPECT_EQ(
      refusal_of(header + lines.lines[0] + "{\"case\":99,\"status\":\"ok\",\"reason\":\"\"}\n"),
      "r.partial, line 3: case: the document has no such case");
  EXPECT_EQ(refusal_of(header + "{\"case\":0,\"result\":{\"repeat\":0}}\n"),
            "r.partial, line 2: result.position: is missing");
}

TEST(Partial, ADocumentIsNone) {
  EXPECT_FALSE(is_partial(document_text(samples::two_hosts())));
  EXPECT_FALSE(is_partial(""));
}

TEST(PartialFile, IsLockedWhileOpen) {
  const TemporaryFolder folder;
  const PartialFile first(folder / "r.partial", false);
  for (const bool force : {false, true}) {
    try {
      const PartialFile second(folder / "r.partial", force);
      FAIL() << "two runs write to one file";
    } catch (const Error& error) {
      EXPECT_NE(error.failure().message.find("another run"), std::string::npos);
    }
  }
}

TEST(PartialFile, UnfinishedResultsAreReplacedByForceAlone) {
  const TemporaryFolder folder;
  write_file(folder / "r.partial", "results\n");
  EXPECT_THROW(PartialFile(folder / "r.partial", false), Error);
  EXPECT_EQ(read_file(folder / "r.partial"), "results\n");
  PartialFile file(folder / "r.partial", true);
  file.append("new\n");
  EXPECT_EQ(read_file(folder / "r.partial"), "new\n");
}

TEST(PartialFile, AnEmptyOneIsTakenOver) {
  const TemporaryFolder folder;
  write_file(folder / "r.partial", "");
  EXPECT_NO_THROW(PartialFile(folder / "r.partial", false));
}

TEST(PartialFile, ALinkIsNotFollowed) {
  const TemporaryFolder folder;
  write_file(folder / "precious", "");
  std::filesystem::create_symlink(folder / "precious", folder / "r.partial");
  EXPECT_THROW(PartialFile(folder / "r.partial", true), Error);
}

}  // namespace
}  // namespace pairbench
