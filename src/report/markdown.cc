#include "report/markdown.h"

#include <fmt/format.h>

#include "base/printable.h"
#include "base/units.h"
#include "report/figures.h"
#include "report/notes.h"
#include "report/table.h"

namespace pairbench {
namespace {

// One line of a table. A bar inside a cell would end it.
std::string line(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const auto& cell : cells) {
    out += ' ';
    for (const char c : printable(cell)) out += c == '|' ? std::string("\\|") : std::string(1, c);
    out += " |";
  }
  return out + "\n";
}

std::string head(const std::vector<std::string>& names) {
  std::string rule = "|:--|";
  for (std::size_t i = 1; i < names.size(); ++i) rule += "--:|";
  return line(names) + rule + "\n";
}

std::vector<std::string> columns(Test test) {
  if (test == Test::pingpong)
    return {"transport",   "size",        "one way p50, us", "interval",
            "RTT p50, us", "RTT p99, us", "RTT p99.9, us",   "RTT max, us"};
  std::vector<std::string> names = {"transport", "size", "Gb/s", "interval", "Mmsg/s"};
  if (test == Test::stream) {
    names.emplace_back("% of link");
  } else {
    names.insert(names.end(), {"Gb/s there", "Gb/s back"});
  }
  return names;
}

std::vector<std::string> pingpong_cells(const ResultDocument& document, const CaseResult& result) {
  const double step = document.clock ? document.clock->quantum_ns * kUsPerNs : 0;
  const LatencySummary rtt = result.summary.rtt_ns.value_or(LatencySummary{});
  const auto us = [&](const std::optional<Estimate>& e) {
    return scaled(value_of(e), kUsPerNs, step);
  };
  return {scaled(value_of(rtt.p50), kUsPerNs / 2, step),
          interval(rtt.p50, kUsPerNs / 2, step),
          us(rtt.p50),
          us(rtt.p99),
          us(rtt.p99_9),
          us(rtt.max)};
}

std::vector<std::string> stream_cells(const ResultDocument& document, const CaseResult& result) {
  const CaseSummary& s = result.summary;
  const auto bytes = value_of(s.delivered_bytes_per_second);
  std::vector<std::string> cells = {scaled(bytes, kGbPerByte),
                                    interval(s.delivered_bytes_per_second, kGbPerByte),
                                    scaled(value_of(s.messages_per_second), kMillion)};
  if (result.plan.test == Test::stream) {
    cells.push_back(link_share(bytes, transport_of(document, result)));
  } else {
    cells.push_back(scaled(value_of(s.forward_bytes_per_second), kGbPerByte));
    cells.push_back(scaled(value_of(s.backward_bytes_per_second), kGbPerByte));
  }
  return cells;
}

std::string test_table(const ResultDocument& document, Test test) {
  std::string rows;
  for (std::size_t t = 0; t < document.transports.size(); ++t)
    for (const CaseResult* result : measured_cases(document, test, static_cast<int>(t))) {
      std::vector<std::string> cells = {label_of(document, *result),
                                        format_size(result->plan.size_bytes)};
      const auto figures = test == Test::pingpong ? pingpong_cells(document, *result)
                                                  : stream_cells(document, *result);
      cells.insert(cells.end(), figures.begin(), figures.end());
      rows += line(cells);
    }
  if (rows.empty()) return {};
  return fmt::format("\n**{}**\n\n{}{}", to_string(test), head(columns(test)), rows);
}

// Comment lines as a block of code: names and reasons stay as they are.
std::string block(const std::string& comments) {
  return comments.empty() ? "" : "```\n" + comments + "```\n";
}

}  // namespace

std::string render_markdown(const ResultDocument& document) {
  std::string out = block(render_header(document));
  for (const Test test : kAllTests) out += test_table(document, test);
  const std::string notes = block(render_notes(document, true));
  return notes.empty() ? out : out + "\n" + notes;
}

}  // namespace pairbench
