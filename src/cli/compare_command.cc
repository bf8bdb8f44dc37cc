#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "compare/pairs.h"
#include "compare/views.h"
#include "report/json_text.h"
#include "report/read_document.h"

namespace pairbench {
namespace {

struct CompareArguments {
  std::vector<std::string> files;
  std::string baseline;
  std::vector<const Metric*> metrics = default_metrics();
  std::optional<double> limit;
  bool strict = false;
  bool json = false;
  bool verbose = false;
};

// "5%" or "5": a share of one.
double parse_percent(const std::string& text) {
  const std::string number = text.ends_with('%') ? text.substr(0, text.size() - 1) : text;
  constexpr std::size_t kLongest = 8;
  const bool plain = std::all_of(number.begin(), number.end(),
                                 [](unsigned char c) { return std::isdigit(c) != 0 || c == '.'; });
  const bool numeric = std::isdigit(static_cast<unsigned char>(number[0])) != 0 &&
                       std::count(number.begin(), number.end(), '.') <= 1;
  if (number.size() > kLongest || !plain || !numeric)
    throw_usage(fmt::format("'{}' is no percentage", text), "like 5% or 2.5%");
  return std::stod(number) / 100;
}

std::string text_of(const std::vector<TransportComparison>& comparisons,
                    const std::optional<Regression>& regression, const CompareArguments& a) {
  if (a.json) {
    nlohmann::ordered_json json = comparisons_json(comparisons);
    json["fail_over"] =
        regression ? regression_json(*regression, *a.limit) : nlohmann::ordered_json(nullptr);
    return readable(json) + "\n";
  }
  std::string out;
  for (const TransportComparison& comparison : comparisons)
    out += render_comparison(comparison, a.verbose);
  if (regression) out += render_regression(*regression, *a.limit);
  return out;
}

int compare_files(const CompareArguments& a) {
  if (a.strict && !a.limit) throw_usage("--strict belongs to --fail-over", "add --fail-over 5%");
  require_one_standard_input(a.files);
  std::deque<ResultDocument> documents;
  std::vector<DocumentOfFile> named;
  for (const std::string& file : a.files)
    named.push_back({&documents.emplace_back(read_document(file)), file});
  std::vector<TransportComparison> comparisons;
  for (const auto& [baseline, candidate] : pairs_to_compare(named, a.baseline))
    comparisons.push_back(compare(baseline, candidate, a.metrics));
  std::optional<Regression> regression;
  if (a.limit) regression = find_regression(comparisons, *a.limit, a.strict);
  print_out(text_of(comparisons, regression, a));
  return regression ? static_cast<int>(regression->status()) : 0;
}

}  // namespace

Command add_compare_command(CLI::App& app) {
  CLI::App* sub = app.add_subcommand(
      "compare", "Tell whether one transport, or a later run, is slower, and how sure that is");
  auto a = std::make_shared<CompareArguments>();
  sub->add_option("FILE", a->files,
                  "One result with several transports, or OLD and NEW; -: standard input")
      ->required()
      ->expected(1, 2);
  sub->add_option(
      "--baseline", a->baseline,
      "Of one file: the transport that the others are held against (default: the first)");
  add_word(*sub, "--metric",
           "p50, p90, p99, p99_9, mean, batch_mean, delivered_bytes_per_second, "
           "messages_per_second, several apart by commas (default p50,delivered_bytes_per_second)",
           [=](const std::string& word) { a->metrics = parse_metrics(word); });
  add_word(*sub, "--fail-over",
           "Exit 3 if anything is slower by surely more than PCT, 6 if that cannot be decided",
           [=](const std::string& word) { a->limit = parse_percent(word); });
  sub->add_flag("--strict", a->strict,
                "With --fail-over: where no difference is shown, PCT must be excluded too");
  sub->add_flag("--json", a->json, "One JSON document (results/schema.json)");
  sub->add_flag("-v,--verbose", a->verbose, "All differences of set-up");
  return {sub, [=] { return compare_files(*a); }};
}

}  // namespace pairbench
