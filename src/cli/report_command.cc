#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "compare/pairs.h"
#include "compare/views.h"
#include "report/document_json.h"
#include "report/html.h"
#include "report/json_text.h"
#include "report/page_shell.h"
#include "report/partial.h"
#include "report/posix_file.h"
#include "report/read_document.h"

namespace pairbench {
namespace {

struct ReportArguments {
  std::vector<std::string> files;
  std::string out;
  bool force = false;
};

struct Opened {
  ResultDocument document;
  PageDocument embedded;
};

// A FILE.partial is embedded as the document that it amounts to, under the name that this would
// have.
Opened open_document(const std::string& path) {
  constexpr std::string_view kPartial = ".partial";
  std::string text = read_document_text(path);
  ResultDocument document = parse_stored(text, path == "-" ? "standard input" : path);
  std::string name = path == "-" ? "standard_input.json" : path;
  if (is_partial(text)) {
    text = document_text(document);
    if (name.ends_with(kPartial)) name.resize(name.size() - kPartial.size());
  }
  return {std::move(document), {std::move(name), std::move(text)}};
}

void add_comparisons(std::vector<std::string>& texts,
                     const std::vector<DocumentOfFile>& documents) {
  std::vector<SidePair> pairs;
  try {
    pairs = pairs_to_compare(documents, "");
  } catch (const Error&) {
    return;  // nothing to be compared: the page shows the rest
  }
  const auto metrics = default_metrics();
  for (const auto& [baseline, candidate] : pairs)
    texts.push_back(one_line(comparison_json(compare(baseline, candidate, metrics))));
}

// The transports of each document against its first, and those of the newest against the oldest's.
std::vector<std::string> comparisons_of(const std::deque<Opened>& opened) {
  std::vector<DocumentOfFile> by_age;
  for (const Opened& one : opened) by_age.push_back({&one.document, one.embedded.name});
  std::ranges::stable_sort(by_age, {}, [](const auto& of) { return of.document->run.started_at; });
  std::vector<std::string> texts;
  if (by_age.size() > 1) add_comparisons(texts, {by_age.front(), by_age.back()});
  for (const DocumentOfFile& of : by_age) add_comparisons(texts, {of});
  return texts;
}

void require_other_place(const ReportArguments& arguments) {
  std::error_code ignored;
  for (const std::string& file : arguments.files)
    if (std::filesystem::equivalent(file, arguments.out, ignored))
      throw_usage(fmt::format("-o: {} is one of the results", arguments.out), "name another file");
  if (!arguments.force && std::filesystem::is_regular_file(arguments.out, ignored))
    throw Error(ExitStatus::failed, Phase::save, arguments.out + " exists",
                "a file is not overwritten unasked",
                "name another with -o, or replace it by --force");
}

void write_page(const std::string& path, const std::string& page) {
  try {
    write_all(open_file(path, O_WRONLY | O_CREAT | O_TRUNC).get(), page);
  } catch (const std::system_error& error) {
    throw Error(ExitStatus::failed, Phase::save, "cannot write " + path, error.code().message());
  }
}

int report(const ReportArguments& arguments) {
  require_one_standard_input(arguments.files);
  const std::string shell = page_shell();
  require_other_place(arguments);
  std::deque<Opened> opened;
  std::vector<PageDocument> embedded;
  for (const std::string& file : arguments.files)
    embedded.push_back(opened.emplace_back(open_document(file)).embedded);
  write_page(arguments.out, render_page(shell, embedded, comparisons_of(opened)));
  print_err(
      fmt::format("saved {}\nnext: open it in a browser; it needs nothing else\n", arguments.out));
  return 0;
}

}  // namespace

Command add_report_command(CLI::App& app) {
  CLI::App* sub = app.add_subcommand(
      "report", "Put results into one page with curves, verdicts and what to doubt");
  auto arguments = std::make_shared<ReportArguments>();
  sub->add_option("FILE", arguments->files, "Result documents (or FILE.partial); -: standard input")
      ->required();
  sub->add_option("-o,--out", arguments->out, "The page, an HTML file")->required();
  sub->add_flag("--force", arguments->force, "Replace the page where there is one");
  return {sub, [=] { return report(*arguments); }};
}

}  // namespace pairbench
