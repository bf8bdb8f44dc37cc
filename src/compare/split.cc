#include "compare/split.h"

#include <optional>
#include <string_view>

#include "compare/repeat_values.h"
#include "stats/comparison.h"

namespace pairbench {
namespace {

struct Part {
  std::string_view name;
  double CallSplit::*of_repeat;
  std::optional<Estimate> SplitSummary::*of_case;
};

constexpr Part kParts[] = {
    {"post_send", &CallSplit::post_send_ns, &SplitSummary::post_send},
    {"post_recv", &CallSplit::post_recv_ns, &SplitSummary::post_recv},
    {"poll", &CallSplit::poll_ns, &SplitSummary::poll},
    {"wait", &CallSplit::wait_ns, &SplitSummary::wait},
};

RepeatValues values_of(const CaseResult& result, const Part& part) {
  RepeatValues values;
  for (const RepeatResult& repeat : result.repeats)
    if (repeat.latency && repeat.latency->split)
      values.emplace(repeat.repeat, (*repeat.latency->split).*part.of_repeat);
  return values;
}

std::optional<double> headline_of(const CaseResult& result, const Part& part) {
  const auto& rtt = result.summary.rtt_ns;
  if (!rtt || !rtt->split || !((*rtt->split).*part.of_case)) return std::nullopt;
  return ((*rtt->split).*part.of_case)->value;
}

std::optional<PartComparison> compare_part(bool paired, const CaseResult& baseline,
                                           const CaseResult& candidate, const Part& part) {
  const auto b = headline_of(baseline, part);
  const auto c = headline_of(candidate, part);
  if (!b || !c) return std::nullopt;
  RepeatValues b_values = values_of(baseline, part);
  RepeatValues c_values = values_of(candidate, part);
  if (paired) {
    keep_common(b_values, c_values);
    keep_common(c_values, b_values);
  }
  const auto difference = paired ? difference_paired(plain(c_values), plain(b_values))
                                 : difference_unpaired(plain(c_values), plain(b_values));
  if (!difference) return std::nullopt;
  return PartComparison{part.name, *b, *c, *difference};
}

}  // namespace

std::vector<SplitComparison> compare_splits(const Side& baseline_side, const Side& candidate_side,
                                            bool paired) {
  const auto candidates = finished(candidate_side, Test::pingpong);
  std::vector<SplitComparison> out;
  for (const auto& [size, baseline] : finished(baseline_side, Test::pingpong)) {
    const auto candidate = candidates.find(size);
    if (candidate == candidates.end()) continue;
    SplitComparison split{size, {}};
    for (const Part& part : kParts)
      if (auto compared = compare_part(paired, *baseline, *candidate->second, part))
        split.parts.push_back(*compared);
    if (!split.parts.empty()) out.push_back(std::move(split));
  }
  return out;
}

}  // namespace pairbench
