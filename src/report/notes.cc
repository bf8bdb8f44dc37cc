#include "report/notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "base/units.h"
#include "report/figures.h"
#include "report/models.h"
#include "report/quality.h"
#include "report/table.h"

namespace pairbench {
namespace {

std::string incomplete_note(const RunInfo& run) {
  if (run.complete) return {};
  if (!run.failure) return comment("INCOMPLETE: the run did not end");
  const Failure& failure = *run.failure;
  const std::string where = failure.host.empty() ? "" : failure.host + ": ";
  const std::string cause = failure.cause.empty() ? "" : ": " + failure.cause;
  return comment(fmt::format("INCOMPLETE: {}{}{}", where, failure.message, cause));
}

std::string host_note(const ResultDocument& document) {
  for (const auto& transport : document.transports)
    if (transport.one_host) return comment("one host: this is not a network measurement");
  return {};
}

std::string method_notes(const ResultDocument& document) {
  std::string out;
  if (document.repeats == 1)
    out += comment("one repeat: intervals are within-run only, no verdict");
  const bool checked = std::any_of(document.cases.begin(), document.cases.end(),
                                   [](const CaseResult& c) { return c.plan.check; });
  if (checked)
    out += comment("CHECKED: payloads are verified within the time shown; not comparable");
  return out;
}

std::string adjustment_notes(const ResultDocument& document) {
  std::string out;
  const auto add = [&](const Adjustment& a, const std::string& label) {
    out += comment(
        fmt::format("{} {}: {} was taken{} ({})", a.option, a.asked, a.effective, label, a.reason));
  };
  for (const auto& a : document.adjustments) add(a, "");
  for (const auto& transport : document.transports)
    for (const auto& a : transport.plan.adjustments) add(a, " for " + transport.plan.spec.label);
  return out;
}

// The median over the repeats: each opens its endpoints anew.
std::string first_message_notes(const ResultDocument& document) {
  std::string out;
  for (std::size_t t = 0; t < document.transports.size(); ++t) {
    std::vector<double> times;
    for (const auto& result : document.cases)
      if (result.plan.transport == static_cast<int>(t))
        for (const auto& repeat : result.repeats)
          if (repeat.first_message_ns) times.push_back(*repeat.first_message_ns);
    const auto median = over_repeats(times);
    if (!median) continue;
    const auto& label = document.transports[t].plan.spec.label;
    out += comment(fmt::format("first message {} us{} (handshake, not in the table)",
                               scaled(median->value, kUsPerNs),
                               document.transports.size() > 1 ? ", " + label : ""));
  }
  return out;
}

std::string_view word(CaseStatus status) {
  return status == CaseStatus::not_run ? "not run" : to_string(status);
}

// A stream that was measured and has no figure was too short for two stamps.
std::string short_stream_notes(const ResultDocument& document) {
  const bool any =
      std::any_of(document.cases.begin(), document.cases.end(), [](const CaseResult& c) {
        return c.status == CaseStatus::ok && c.plan.test != Test::pingpong &&
               !c.summary.messages_per_second;
      });
  return any ? comment("n/a: a stream needs two messages or more, received at different times")
             : "";
}

// A link that is not filled need not be slow. Judged where it is filled most easily.
std::string unfilled_link_notes(const ResultDocument& document) {
  constexpr double kFilled = 0.8;
  std::string out;
  for (std::size_t t = 0; t < document.transports.size(); ++t) {
    const TransportResult& transport = document.transports[t];
    const auto cases = measured_cases(document, Test::stream, static_cast<int>(t));
    const auto link = link_bits_per_second(transport);
    if (cases.empty() || !link || transport.one_host) continue;
    const CaseResult& largest = *cases.back();
    const auto bytes = value_of(largest.summary.delivered_bytes_per_second);
    if (!bytes || *bytes * 8 >= kFilled * static_cast<double>(*link)) continue;
    out +=
        comment(fmt::format("{} fills {} % of the link at {}: one core, one queue pair: this may "
                            "be the software's limit, not the link's",
                            transport.plan.spec.label, link_share(bytes, transport),
                            format_size(largest.plan.size_bytes)));
  }
  return out;
}

// Sizes that share transport, test and reason share one line.
std::string missing_notes(const ResultDocument& document, CaseStatus status) {
  std::vector<std::pair<std::string, std::string>> groups;  // "failed libfabric:tcp stream", reason
  std::vector<std::string> sizes;
  for (const auto& result : document.cases) {
    if (result.status != status) continue;
    const std::pair group(fmt::format("{} {} {}", word(status), label_of(document, result),
                                      to_string(result.plan.test)),
                          result.reason);
    const std::string size = format_size(result.plan.size_bytes);
    const auto found = std::find(groups.begin(), groups.end(), group);
    if (found == groups.end()) {
      groups.push_back(group);
      sizes.push_back(size);
    } else {
      sizes[static_cast<std::size_t>(found - groups.begin())] += ", " + size;
    }
  }
  std::string out;
  for (std::size_t i = 0; i < groups.size(); ++i)
    out += comment(fmt::format("{} {}{}{}", groups[i].first, sizes[i],
                               groups[i].second.empty() ? "" : ": ", groups[i].second));
  return out;
}

// What host_note says already takes none of the few places.
std::vector<Warning> further_warnings(const ResultDocument& document) {
  std::vector<Warning> warnings = document.warnings;
  if (!host_note(document).empty())
    std::erase_if(warnings, [](const Warning& w) { return w.code == "ONE_HOST"; });
  return warnings;
}

// The worst grade of all cases; nullopt where nothing was graded.
std::optional<Grade> worst_grade(const ResultDocument& document) {
  std::optional<Grade> worst;
  for (const auto& result : document.cases)
    if (result.quality) worst = std::max(worst.value_or(Grade::a), result.quality->grade);
  return worst;
}

std::string quality_notes(const ResultDocument& document, bool verbose) {
  constexpr std::size_t kShown = 3;
  const auto grade = worst_grade(document);
  if (grade == Grade::a) return comment("quality A");
  const auto warnings = further_warnings(document);
  const std::size_t shown = verbose ? warnings.size() : std::min(kShown, warnings.size());
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) {
    const Warning& w = warnings[i];
    out += comment(fmt::format("quality {}: {}{}", to_string(grade_of(w.code)),
                               w.host.empty() ? "" : w.host + ": ", w.message));
  }
  if (shown < warnings.size())
    out += comment(fmt::format("{} more of this kind: -v", warnings.size() - shown));
  return out;
}

}  // namespace

std::string comment(std::string_view text) {
  std::string rest = printable(text);
  std::string out;
  std::string start = "# ";
  while (start.size() + rest.size() > kColumns) {
    const std::size_t room = kColumns - start.size();
    std::size_t end = rest.rfind(' ', room);
    if (end == std::string::npos || end == 0) end = rest.find(' ', room);
    if (end == std::string::npos) break;
    out += start + rest.substr(0, end) + "\n";
    rest.erase(0, end + 1);
    start = "#   ";
  }
  return out + start + rest + "\n";
}

std::string render_notes(const ResultDocument& document, bool verbose) {
  return incomplete_note(document.run) + host_note(document) + method_notes(document) +
         adjustment_notes(document) + (verbose ? render_models(document) : "") +
         first_message_notes(document) + short_stream_notes(document) +
         unfilled_link_notes(document) + missing_notes(document, CaseStatus::failed) +
         missing_notes(document, CaseStatus::skipped) +
         missing_notes(document, CaseStatus::not_run) + quality_notes(document, verbose);
}

}  // namespace pairbench
