#include "compare/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"

namespace pairbench {
namespace {

template <std::optional<Estimate> LatencySummary::*member>
std::optional<Estimate> of_rtt(const CaseSummary& summary) {
  return summary.rtt_ns ? (*summary.rtt_ns).*member : std::nullopt;
}

template <std::optional<Estimate> CaseSummary::*member>
std::optional<Estimate> of_case(const CaseSummary& summary) {
  return summary.*member;
}

constexpr std::array kMetrics{
    Metric{"p50", Unit::ns, true, of_rtt<&LatencySummary::p50>},
    Metric{"p90", Unit::ns, false, of_rtt<&LatencySummary::p90>},
    Metric{"p99", Unit::ns, false, of_rtt<&LatencySummary::p99>},
    Metric{"p99_9", Unit::ns, false, of_rtt<&LatencySummary::p99_9>},
    Metric{"mean", Unit::ns, true, of_rtt<&LatencySummary::mean>},
    Metric{"batch_mean", Unit::ns, true, of_rtt<&LatencySummary::batch_mean>},
    Metric{"delivered_bytes_per_second", Unit::bytes_per_second, false,
           of_case<&CaseSummary::delivered_bytes_per_second>},
    Metric{"messages_per_second", Unit::messages_per_second, false,
           of_case<&CaseSummary::messages_per_second>},
};

const Metric& metric_of(std::string_view name) {
  const auto found =
      std::ranges::find_if(kMetrics, [&](const Metric& metric) { return metric.name == name; });
  if (found != kMetrics.end()) return *found;
  std::string names;
  for (const Metric& metric : kMetrics)
    names += (names.empty() ? "" : ", ") + std::string(metric.name);
  throw_usage(fmt::format("--metric: '{}' is no metric", name), "use " + names);
}

}  // namespace

std::string_view to_string(Unit unit) {
  switch (unit) {
    case Unit::ns:
      return "ns";
    case Unit::bytes_per_second:
      return "bytes/s";
    case Unit::messages_per_second:
      return "messages/s";
  }
  return "?";
}

std::vector<const Metric*> default_metrics() {
  return {&metric_of("p50"), &metric_of("delivered_bytes_per_second")};
}

std::vector<const Metric*> parse_metrics(std::string_view text) {
  std::vector<const Metric*> metrics;
  while (true) {
    const std::size_t comma = text.find(',');
    const Metric* metric = &metric_of(text.substr(0, comma));
    if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
    if (comma == std::string_view::npos) return metrics;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace pairbench
