#include <algorithm>

#include "report/document.h"

namespace pairbench {
namespace {

using Figure = std::optional<Estimate>;

// The medians of what `figure_of` finds in each repeat; nullopt where one repeat lacks it.
template <class FigureOf>
Figure headline(const std::vector<RepeatResult>& repeats, FigureOf figure_of) {
  std::vector<double> values;
  for (const auto& repeat : repeats) {
    const Figure figure = figure_of(repeat);
    if (!figure) return std::nullopt;
    if (repeats.size() == 1) return figure;
    values.push_back(figure->value);
  }
  return over_repeats(values);
}

template <class Better>
Figure extreme(const std::vector<RepeatResult>& repeats, Figure QuantileSet::*member,
               Better better) {
  Figure result;
  for (const auto& repeat : repeats) {
    const Figure& figure = repeat.latency->rtt_ns.*member;
    if (!figure) return std::nullopt;
    result = Estimate{result ? better(result->value, figure->value) : figure->value, {}, {}};
  }
  return result;
}

LatencySummary latency_summary(const std::vector<RepeatResult>& repeats) {
  const auto quantile = [&](Figure QuantileSet::*member) {
    return headline(repeats, [&](const RepeatResult& r) { return r.latency->rtt_ns.*member; });
  };
  LatencySummary summary;
  summary.min =
      extreme(repeats, &QuantileSet::min, [](double a, double b) { return std::min(a, b); });
  summary.p50 = quantile(&QuantileSet::p50);
  summary.p90 = quantile(&QuantileSet::p90);
  summary.p99 = quantile(&QuantileSet::p99);
  summary.p99_9 = quantile(&QuantileSet::p99_9);
  summary.max =
      extreme(repeats, &QuantileSet::max, [](double a, double b) { return std::max(a, b); });
  summary.mean = quantile(&QuantileSet::mean);
  summary.batch_mean = headline(repeats, [](const RepeatResult& r) -> Figure {
    if (!r.latency->probe) return std::nullopt;
    return Estimate{r.latency->probe->batch_mean_ns, {}, {}};
  });
  summary.probe_effect = headline(repeats, [](const RepeatResult& r) -> Figure {
    if (!r.latency->probe) return std::nullopt;
    return r.latency->probe->effect_ns;
  });
  return summary;
}

using Rate = std::optional<double> StreamFigures::*;

Figure one_way(const std::optional<StreamFigures>& direction, Rate rate) {
  if (!direction || !((*direction).*rate)) return std::nullopt;
  return Estimate{*((*direction).*rate), {}, {}};
}

// What all directions that the test has carried together.
Figure together(const RepeatResult& repeat, Test test, Rate rate) {
  Figure total = one_way(repeat.forward, rate);
  if (test != Test::bistream || !total) return total;
  const Figure back = one_way(repeat.backward, rate);
  if (!back) return std::nullopt;
  total->value += back->value;
  return total;
}

void summarize_streams(CaseResult& result) {
  const auto& repeats = result.repeats;
  const Test test = result.plan.test;
  auto& summary = result.summary;
  summary.messages_per_second = headline(repeats, [&](const RepeatResult& r) {
    return together(r, test, &StreamFigures::messages_per_second);
  });
  if (result.plan.size_bytes == 0) return;
  constexpr Rate kBytes = &StreamFigures::delivered_bytes_per_second;
  summary.delivered_bytes_per_second =
      headline(repeats, [&](const RepeatResult& r) { return together(r, test, kBytes); });
  summary.forward_bytes_per_second =
      headline(repeats, [](const RepeatResult& r) { return one_way(r.forward, kBytes); });
  summary.backward_bytes_per_second =
      headline(repeats, [](const RepeatResult& r) { return one_way(r.backward, kBytes); });
}

}  // namespace

void summarize(CaseResult& result) {
  result.summary = {};
  const auto& repeats = result.repeats;
  if (repeats.empty()) return;
  if (std::all_of(repeats.begin(), repeats.end(),
                  [](const RepeatResult& r) { return r.latency.has_value(); }))
    result.summary.rtt_ns = latency_summary(repeats);
  if (result.plan.test != Test::pingpong) summarize_streams(result);
}

}  // namespace pairbench
