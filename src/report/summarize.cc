#include <algorithm>
#include <span>

#include "report/document.h"

namespace pairbench {
namespace {

using Figure = std::optional<Estimate>;

// The medians of what `figure_of` finds in each repeat; nullopt where one repeat lacks it.
template <class FigureOf>
Figure headline(std::span<const RepeatResult> repeats, FigureOf figure_of) {
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
Figure extreme(std::span<const RepeatResult> repeats, Figure QuantileSet::*member, Better better) {
  Figure result;
  for (const auto& repeat : repeats) {
    const Figure& figure = repeat.latency->rtt_ns.*member;
    if (!figure) return std::nullopt;
    result = Estimate{result ? better(result->value, figure->value) : figure->value, {}, {}};
  }
  return result;
}

std::optional<SplitSummary> split_summary(std::span<const RepeatResult> repeats) {
  const auto part = [&](double CallSplit::*member) {
    return headline(repeats, [&](const RepeatResult& r) -> Figure {
      if (!r.latency->split) return std::nullopt;
      return Estimate{(*r.latency->split).*member, {}, {}};
    });
  };
  const SplitSummary split{part(&CallSplit::post_send_ns), part(&CallSplit::post_recv_ns),
                           part(&CallSplit::poll_ns), part(&CallSplit::wait_ns)};
  return split.wait ? std::optional(split) : std::nullopt;
}

LatencySummary latency_summary(std::span<const RepeatResult> repeats) {
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
  summary.split = split_summary(repeats);
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

void summarize_streams(CaseSummary& summary, Test test, std::uint64_t size_bytes,
                       std::span<const RepeatResult> repeats) {
  summary.messages_per_second = headline(repeats, [&](const RepeatResult& r) {
    return together(r, test, &StreamFigures::messages_per_second);
  });
  if (size_bytes == 0) return;
  constexpr Rate kBytes = &StreamFigures::delivered_bytes_per_second;
  summary.delivered_bytes_per_second =
      headline(repeats, [&](const RepeatResult& r) { return together(r, test, kBytes); });
  summary.forward_bytes_per_second =
      headline(repeats, [](const RepeatResult& r) { return one_way(r.forward, kBytes); });
  summary.backward_bytes_per_second =
      headline(repeats, [](const RepeatResult& r) { return one_way(r.backward, kBytes); });
}

}  // namespace

CaseSummary summary_of(Test test, std::uint64_t size_bytes, std::span<const RepeatResult> repeats) {
  CaseSummary summary;
  if (repeats.empty()) return summary;
  if (std::all_of(repeats.begin(), repeats.end(),
                  [](const RepeatResult& r) { return r.latency.has_value(); }))
    summary.rtt_ns = latency_summary(repeats);
  if (test != Test::pingpong) summarize_streams(summary, test, size_bytes, repeats);
  return summary;
}

void summarize(CaseResult& result) {
  result.summary = summary_of(result.plan.test, result.plan.size_bytes, result.repeats);
}

}  // namespace pairbench
