#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "base/units.h"
#include "report/figures.h"
#include "report/notes.h"

namespace pairbench {
namespace {

std::string pingpong_row(const ResultDocument& document, const CaseResult& result) {
  // A median over tied readings of a coarse clock is no finer than its step.
  const double step = document.clock ? document.clock->quantum_ns * kUsPerNs : 0;
  const LatencySummary rtt = result.summary.rtt_ns.value_or(LatencySummary{});
  const auto us = [&](const std::optional<Estimate>& e) {
    return scaled(value_of(e), kUsPerNs, step);
  };
  return fmt::format(
      "{:>8}  {:<20} | {:>8} {:>8} {:>8} {:>9}", scaled(value_of(rtt.p50), kUsPerNs / 2, step),
      interval(rtt.p50, kUsPerNs / 2, step), us(rtt.p50), us(rtt.p99), us(rtt.p99_9), us(rtt.max));
}

std::string stream_row(const ResultDocument& document, const CaseResult& result) {
  const CaseSummary& s = result.summary;
  const auto bytes = value_of(s.delivered_bytes_per_second);
  return fmt::format("{:>8}  {:<20} {:>9} {:>6}", scaled(bytes, kGbPerByte),
                     interval(s.delivered_bytes_per_second, kGbPerByte),
                     scaled(value_of(s.messages_per_second), kMillion),
                     link_share(bytes, transport_of(document, result)));
}

std::string bistream_row(const ResultDocument& document, const CaseResult& result) {
  const CaseSummary& s = result.summary;
  const TransportResult& transport = transport_of(document, result);
  const auto there = value_of(s.forward_bytes_per_second);
  const auto back = value_of(s.backward_bytes_per_second);
  return fmt::format("{:>8}  {:<20} {:>9} | {:>8} {:>6} {:>8} {:>6}",
                     scaled(value_of(s.delivered_bytes_per_second), kGbPerByte),
                     interval(s.delivered_bytes_per_second, kGbPerByte),
                     scaled(value_of(s.messages_per_second), kMillion), scaled(there, kGbPerByte),
                     link_share(there, transport), scaled(back, kGbPerByte),
                     link_share(back, transport));
}

std::string test_block(const ResultDocument& document, Test test) {
  std::string rows;
  for (std::size_t t = 0; t < document.transports.size(); ++t) {
    const auto cases = measured_cases(document, test, static_cast<int>(t));
    if (cases.empty()) continue;
    if (document.transports.size() > 1) rows += render_label(document.transports[t]);
    for (const CaseResult* result : cases) rows += render_row(document, *result);
  }
  return rows.empty() ? rows : render_test_head(document, test) + rows;
}

}  // namespace

std::string render_test_head(const ResultDocument& document, Test test) {
  const auto [initiator, responder] = end_names(document);
  switch (test) {
    case Test::pingpong:
      return fmt::format("# {:<12} {:<25}| {}\n#{:>6}  {:>8}  {:<20} | {:>8} {:>8} {:>8} {:>9}\n",
                         "pingpong, us", "one way (RTT/2)", "round trip (RTT)", "size", "p50",
                         "[interval]", "p50", "p99", "p99.9", "max");
    case Test::stream:
      return fmt::format("# stream, one way, counted by {}\n#{:>6}  {:>8}  {:<20} {:>9} {:>6}\n",
                         responder, "size", "Gb/s", "[interval]", "Mmsg/s", "%link");
    case Test::bistream:
      return fmt::format(
          "# bistream, both ways at once, each counted by its receiver, Gb/s\n"
          "# left: together | right: {} -> {}, then back\n"
          "#{:>6}  {:>8}  {:<20} {:>9} | {:>8} {:>6} {:>8} {:>6}\n",
          initiator, responder, "size", "Gb/s", "[interval]", "Mmsg/s", "there", "%link", "back",
          "%link");
  }
  return {};
}

std::string render_label(const TransportResult& transport) {
  return fmt::format("# {}\n", printable(transport.plan.spec.label));
}

std::string render_row(const ResultDocument& document, const CaseResult& result, bool provisional) {
  std::string figures;
  switch (result.plan.test) {
    case Test::pingpong:
      figures = pingpong_row(document, result);
      break;
    case Test::stream:
      figures = stream_row(document, result);
      break;
    case Test::bistream:
      figures = bistream_row(document, result);
      break;
  }
  return fmt::format("{}{:>6}  {}\n", provisional ? '~' : ' ', format_size(result.plan.size_bytes),
                     figures);
}

std::string render_table(const ResultDocument& document, bool verbose) {
  std::string out = render_header(document);
  for (const Test test : kAllTests) out += test_block(document, test);
  return out + render_notes(document, verbose);
}

std::vector<const CaseResult*> measured_cases(const ResultDocument& document, Test test,
                                              int transport) {
  std::vector<const CaseResult*> found;
  for (const auto& result : document.cases)
    if (result.plan.test == test && result.plan.transport == transport &&
        result.status == CaseStatus::ok)
      found.push_back(&result);
  std::stable_sort(found.begin(), found.end(), [](const CaseResult* a, const CaseResult* b) {
    return a->plan.size_bytes < b->plan.size_bytes;
  });
  return found;
}

}  // namespace pairbench
