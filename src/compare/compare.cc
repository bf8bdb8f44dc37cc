#include "compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "compare/differences.h"
#include "compare/repeat_values.h"
#include "compare/split.h"

namespace pairbench {
namespace {

constexpr Test kTests[] = {Test::pingpong, Test::stream, Test::bistream};

RepeatValues values_of(const CaseResult& result, const Metric& metric) {
  RepeatValues values;
  for (const RepeatResult& repeat : result.repeats) {
    const auto figure =
        metric.of(summary_of(result.plan.test, result.plan.size_bytes, {&repeat, 1}));
    if (figure) values.emplace(repeat.repeat, figure->value);
  }
  return values;
}

// How the repeats of both sides are held against each other.
struct Method {
  bool paired;

  std::optional<Comparison> compare(std::span<const double> candidate,
                                    std::span<const double> baseline) const {
    return paired ? compare_paired(candidate, baseline) : compare_unpaired(candidate, baseline);
  }
  // Whether any difference between so many repeats could be shown among so many tests.
  bool can_tell(std::size_t candidate, std::size_t baseline, std::size_t tests) const {
    const double least = paired ? least_p_paired(candidate) : least_p_unpaired(candidate, baseline);
    return least * static_cast<double>(tests) <= kSignificance;
  }
  int needed(std::size_t tests) const {
    return paired ? repeats_needed(tests) : repeats_needed_unpaired(tests);
  }
};

// One size of a family with what it was made of.
struct Pair {
  const CaseResult& baseline_case;
  const CaseResult& candidate_case;
  RepeatValues baseline;
  RepeatValues candidate;
  SizeComparison result;
};

std::string grade_c(const CaseResult& result, std::string_view side) {
  if (!result.quality || result.quality->grade != Grade::c) return {};
  const auto& flags = result.quality->flags;
  return fmt::format("{} grade C: {}", side, flags.empty() ? "?" : flags.front());
}

// Why two cases say nothing about each other; empty: they do.
std::string incomparable(const TransportComparison& sides, const Pair& pair) {
  const Case& b = pair.baseline_case.plan;
  const Case& c = pair.candidate_case.plan;
  if (b.window != c.window) return fmt::format("window {} against {}", b.window, c.window);
  const auto one_host = [](const Side& side) {
    return side.document->transports[side.transport].one_host;
  };
  if (one_host(sides.baseline) != one_host(sides.candidate)) return "one host against two";
  const std::string grade = grade_c(pair.baseline_case, "baseline");
  return grade.empty() ? grade_c(pair.candidate_case, "candidate") : grade;
}

double step_of(const ResultDocument& document) {
  return document.clock ? document.clock->quantum_ns : 0;
}

void compare_size(const TransportComparison& sides, const Metric& metric, const Method& method,
                  Pair& pair) {
  SizeComparison& result = pair.result;
  const auto value = [&](const CaseResult& of) -> std::optional<double> {
    const auto estimate = metric.of(of.summary);
    return estimate ? std::optional(estimate->value) : std::nullopt;
  };
  result.baseline = value(pair.baseline_case);
  result.candidate = value(pair.candidate_case);
  if (!result.baseline || !result.candidate) {
    result.reason = fmt::format("not measured: {}", result.baseline ? "candidate" : "baseline");
    return;
  }
  result.comparison = method.compare(plain(pair.candidate), plain(pair.baseline));
  if (!result.comparison) {
    result.reason = std::max(pair.baseline.size(), pair.candidate.size()) > kMostRepeats
                        ? fmt::format("more than {} repeats", kMostRepeats)
                        : "no repeats to compare";
    return;
  }
  const double step = metric.unit == Unit::ns ? std::max(step_of(*sides.baseline.document),
                                                         step_of(*sides.candidate.document))
                                              : 0;
  result.smallest_effect = smallest_effect(step, *result.baseline);
  result.reason = incomparable(sides, pair);
}

std::vector<Pair*> without_reason(std::vector<Pair>& pairs) {
  std::vector<Pair*> out;
  for (Pair& pair : pairs)
    if (pair.result.reason.empty()) out.push_back(&pair);
  return out;
}

void refuse_too_few_repeats(const Method& method, std::vector<Pair>& pairs) {
  const auto candidates = without_reason(pairs);
  const std::size_t tests = candidates.size();
  for (Pair* pair : candidates) {
    const std::size_t repeats = std::min(pair->candidate.size(), pair->baseline.size());
    if (method.can_tell(pair->candidate.size(), pair->baseline.size(), tests)) continue;
    pair->result.reason = fmt::format("{} of {} repeats needed", repeats, method.needed(tests));
  }
}

void judge_sizes(const Metric& metric, std::span<Pair* const> pairs) {
  std::vector<double> p_values;
  for (const Pair* pair : pairs) p_values.push_back(pair->result.comparison->p_value);
  const std::vector<double> adjusted = holm(p_values);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    SizeComparison& result = pairs[i]->result;
    result.adjusted_p = adjusted[i];
    result.verdict =
        judge(*result.comparison, adjusted[i], result.smallest_effect, metric.better());
  }
}

// One value a repeat, over all sizes; of the repeats that have them all.
std::vector<double> over_sizes(std::span<Pair* const> pairs, RepeatValues Pair::*side) {
  if (pairs.empty()) return {};
  RepeatValues common = pairs.front()->*side;
  for (const Pair* pair : pairs) keep_common(common, pair->*side);
  std::vector<std::vector<double>> columns;
  for (const Pair* pair : pairs) {
    RepeatValues values = pair->*side;
    keep_common(values, common);
    columns.push_back(plain(values));
  }
  return geometric_means(columns);
}

std::optional<Overall> overall(const Metric& metric, const Method& method,
                               std::span<Pair* const> pairs) {
  const std::vector<double> candidate = over_sizes(pairs, &Pair::candidate);
  const std::vector<double> baseline = over_sizes(pairs, &Pair::baseline);
  if (!method.can_tell(candidate.size(), baseline.size(), 1)) return std::nullopt;
  const auto comparison = method.compare(candidate, baseline);
  if (!comparison) return std::nullopt;
  const Verdict verdict =
      judge(*comparison, comparison->p_value, smallest_effect(0, 1), metric.better());
  return Overall{*comparison, verdict, pairs.size()};
}

const CaseResult* find_case(const Side& side, Test test, std::uint64_t size_bytes) {
  const auto& cases = side.document->cases;
  const auto found = std::ranges::find_if(cases, [&](const CaseResult& c) {
    return c.plan.transport == static_cast<int>(side.transport) && c.plan.test == test &&
           c.plan.size_bytes == size_bytes;
  });
  return found == cases.end() ? nullptr : &*found;
}

std::vector<Pair> pairs_of(const TransportComparison& sides, Test test, const Metric& metric) {
  const auto candidates = finished(sides.candidate, test);
  std::vector<Pair> pairs;
  for (const auto& [size, baseline] : finished(sides.baseline, test)) {
    const auto candidate = candidates.find(size);
    if (candidate == candidates.end()) continue;
    Pair pair{*baseline,
              *candidate->second,
              values_of(*baseline, metric),
              values_of(*candidate->second, metric),
              {}};
    pair.result.size_bytes = size;
    if (sides.paired) {
      keep_common(pair.baseline, pair.candidate);
      keep_common(pair.candidate, pair.baseline);
    }
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

Family family(const TransportComparison& sides, Test test, const Metric& metric) {
  const Method method{sides.paired};
  std::vector<Pair> pairs = pairs_of(sides, test, metric);
  for (Pair& pair : pairs) compare_size(sides, metric, method, pair);
  const auto comparable = without_reason(pairs);
  Family family{test, &metric, overall(metric, method, comparable), {}};
  refuse_too_few_repeats(method, pairs);
  judge_sizes(metric, without_reason(pairs));
  for (Pair& pair : pairs) family.sizes.push_back(std::move(pair.result));
  return family;
}

// What `a` finished and `b` did not.
std::vector<Missing> missing(const Side& a, const Side& b) {
  std::vector<Missing> out;
  for (const Test test : kTests) {
    const auto others = finished(b, test);
    for (const auto& [size, result] : finished(a, test)) {
      if (others.contains(size)) continue;
      const CaseResult* other = find_case(b, test, size);
      std::string reason;
      if (other != nullptr)
        reason = fmt::format("{}{}{}", to_string(other->status), other->reason.empty() ? "" : ": ",
                             other->reason);
      out.push_back({test, size, std::move(reason)});
    }
  }
  return out;
}

}  // namespace

TransportComparison compare(const Side& baseline, const Side& candidate,
                            std::span<const Metric* const> metrics) {
  TransportComparison out;
  out.baseline = baseline;
  out.candidate = candidate;
  out.paired = baseline.document == candidate.document;
  for (const Test test : kTests)
    for (const Metric* metric : metrics) {
      if (!metric->belongs_to(test)) continue;
      Family found = family(out, test, *metric);
      if (!found.sizes.empty()) out.families.push_back(std::move(found));
    }
  out.split = compare_splits(baseline, candidate, out.paired);
  out.only_in_baseline = missing(baseline, candidate);
  out.only_in_candidate = missing(candidate, baseline);
  out.differences = differences_of(baseline, candidate);
  return out;
}

}  // namespace pairbench
