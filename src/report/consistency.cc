#include "report/consistency.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "plan/json_fields.h"
#include "report/repeat_check.h"

namespace pairbench {
namespace {

using Figure = std::optional<Estimate>;

struct SummaryFigure {
  const char* member;
  const Figure* figure;
};

std::array<SummaryFigure, 17> figures_of(const CaseSummary& summary) {
  static const LatencySummary no_latency;
  static const SplitSummary no_split;
  const LatencySummary& rtt = summary.rtt_ns ? *summary.rtt_ns : no_latency;
  const SplitSummary& split = rtt.split ? *rtt.split : no_split;
  return {{{"rtt_ns.min", &rtt.min},
           {"rtt_ns.p50", &rtt.p50},
           {"rtt_ns.p90", &rtt.p90},
           {"rtt_ns.p99", &rtt.p99},
           {"rtt_ns.p99_9", &rtt.p99_9},
           {"rtt_ns.max", &rtt.max},
           {"rtt_ns.mean", &rtt.mean},
           {"rtt_ns.batch_mean", &rtt.batch_mean},
           {"rtt_ns.probe_effect", &rtt.probe_effect},
           {"rtt_ns.split.post_send", &split.post_send},
           {"rtt_ns.split.post_recv", &split.post_recv},
           {"rtt_ns.split.poll", &split.poll},
           {"rtt_ns.split.wait", &split.wait},
           {"delivered_bytes_per_second", &summary.delivered_bytes_per_second},
           {"messages_per_second", &summary.messages_per_second},
           {"forward_bytes_per_second", &summary.forward_bytes_per_second},
           {"backward_bytes_per_second", &summary.backward_bytes_per_second}}};
}

// The least and the greatest that the repeats say; least above greatest: none says anything.
struct Span {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();

  void add(double value) {
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
};

// A median lies among the values that it is the median of.
void check_summary(const CaseResult& result) {
  const auto figures = figures_of(result.summary);
  std::array<Span, std::tuple_size_v<decltype(figures)>> spans;
  for (const RepeatResult& repeat : result.repeats) {
    const CaseSummary one = summary_of(result.plan.test, result.plan.size_bytes, {&repeat, 1});
    const auto of_repeat = figures_of(one);
    for (std::size_t i = 0; i < spans.size(); ++i)
      if (*of_repeat[i].figure) spans[i].add((*of_repeat[i].figure)->value);
  }
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const auto& [member, figure] = figures[i];
    if (!*figure) continue;
    check_interval(member, **figure);
    const auto [least, greatest] = spans[i];
    if (least > greatest) throw FormatError(member, "no repeat has this figure");
    if ((*figure)->value < least || (*figure)->value > greatest)
      throw FormatError(member, fmt::format("{} is not within {} to {}, as the repeats are",
                                            (*figure)->value, least, greatest));
  }
}

void check_numbers(const CaseResult& result, const ResultDocument& document) {
  std::vector<int> numbers;
  for (const RepeatResult& repeat : result.repeats) numbers.push_back(repeat.repeat);
  std::ranges::sort(numbers);
  for (const int number : numbers)
    if (number < 0 || number >= document.repeats)
      throw FormatError("", fmt::format("number {} of a run of {}", number, document.repeats));
  const auto twice = std::ranges::adjacent_find(numbers);
  if (twice != numbers.end())
    throw FormatError("", fmt::format("number {} is there twice", *twice));
  // A run that did not end may have lost some, to a full disk for one.
  if (!document.run.complete || result.status != CaseStatus::ok) return;
  for (std::size_t i = 0; i < static_cast<std::size_t>(document.repeats); ++i)
    if (i == numbers.size() || static_cast<std::size_t>(numbers[i]) != i)
      throw FormatError("", fmt::format("number {} is missing in a run that is complete", i));
}

void check_status(const CaseResult& result) {
  const bool may_have = result.status == CaseStatus::ok || result.status == CaseStatus::failed;
  if (result.status == CaseStatus::ok && result.repeats.empty())
    throw FormatError("", "there is none of a case that is ok");
  if (!may_have && !result.repeats.empty())
    throw FormatError("", fmt::format("there are {} of a case that is {}", result.repeats.size(),
                                      to_string(result.status)));
}

void check_case(const CaseResult& result, const ResultDocument& document) {
  within_member("repeats", [&] {
    check_status(result);
    check_numbers(result, document);
    for (std::size_t i = 0; i < result.repeats.size(); ++i)
      within_element(i, [&] { check_repeat(result.plan, result.repeats[i]); });
  });
  within_member("summary", [&] { check_summary(result); });
}

std::string name_of(const CaseResult& result, const ResultDocument& document) {
  const auto transport = static_cast<std::size_t>(result.plan.transport);
  return fmt::format("{} of {} bytes over {}", to_string(result.plan.test), result.plan.size_bytes,
                     document.transports.at(transport).plan.spec.label);
}

// What a comparison tells cases apart by.
using CaseKey = std::tuple<int, Test, std::uint64_t>;

void check_cases(const ResultDocument& document) {
  std::map<CaseKey, std::size_t> seen;
  for (std::size_t i = 0; i < document.cases.size(); ++i) {
    const CaseResult& result = document.cases[i];
    const Case& plan = result.plan;
    try {
      within_element(i, [&] {
        const auto [first, is_new] =
            seen.emplace(CaseKey{plan.transport, plan.test, plan.size_bytes}, i);
        if (!is_new) throw FormatError("", fmt::format("cases[{}] is the same", first->second));
        check_case(result, document);
      });
    } catch (const FormatError& error) {
      throw FormatError("", name_of(result, document) + ": " + error.within("cases").what());
    }
  }
}

void check_transports(const ResultDocument& document) {
  std::set<std::string> labels;
  for (std::size_t i = 0; i < document.transports.size(); ++i) {
    const std::string& label = document.transports[i].plan.spec.label;
    if (!labels.insert(label).second)
      throw FormatError(fmt::format("transports[{}].label", i), label + " is there twice");
  }
}

void check_run(const ResultDocument& document) {
  if (document.repeats < 1)
    throw FormatError("run.repeats", fmt::format("{} is no number of repeats", document.repeats));
  if (document.run.complete && document.run.failure)
    throw FormatError("run.failure", "there is one of a run that is complete");
}

}  // namespace

void require_consistent(const ResultDocument& document) {
  check_run(document);
  check_transports(document);
  check_cases(document);
}

}  // namespace pairbench
