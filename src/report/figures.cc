#include "report/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable.h"
#include "base/units.h"

namespace pairbench {

std::string figure(std::optional<double> value, double step) {
  constexpr double kExponentFrom = 1e8;
  if (!value || !std::isfinite(*value)) return std::string(kNotMeasured);
  const double size = std::abs(*value);
  int digits = size >= 100 ? 4 : 3;
  if (size >= kExponentFrom) return fmt::format("{:.{}e}", *value, digits - 1);
  if (size > 0 && step > 0) {
    const double steps = std::floor(std::log10(size)) - std::floor(std::log10(step)) + 1;
    digits = std::clamp(static_cast<int>(steps), 1, digits);
  }
  return format_figure(*value, digits);
}

std::optional<double> value_of(const std::optional<Estimate>& estimate) {
  return estimate ? std::optional(estimate->value) : std::nullopt;
}

std::string scaled(const std::optional<double>& value, double factor, double step) {
  // As the document rounds it: shown before it was stored and after, a figure is the same.
  constexpr double kDecimals = 1000;
  const auto stored = [&] { return std::round(*value * kDecimals) / kDecimals; };
  return figure(value ? std::optional(stored() * factor) : std::nullopt, step);
}

std::string interval(const std::optional<Estimate>& estimate, double factor, double step) {
  const Estimate none;
  const Estimate& e = estimate ? *estimate : none;
  return fmt::format("[{}, {}]", scaled(e.low, factor, step), scaled(e.high, factor, step));
}

std::optional<std::uint64_t> link_bits_per_second(const TransportResult& transport) {
  std::optional<std::uint64_t> slower;
  for (const auto* end : {&transport.initiator, &transport.responder}) {
    if (!*end || !(*end)->link_bits_per_second) continue;
    slower = std::min(slower.value_or(UINT64_MAX), *(*end)->link_bits_per_second);
  }
  return slower;
}

std::string link_share(const std::optional<double>& bytes_per_second,
                       const TransportResult& transport) {
  const auto link = link_bits_per_second(transport);
  if (!link || *link == 0 || !bytes_per_second) return std::string(kNotMeasured);
  return format_figure(*bytes_per_second * 8 / static_cast<double>(*link) * 100, 2);
}

const TransportResult& transport_of(const ResultDocument& document, const CaseResult& result) {
  return document.transports.at(static_cast<std::size_t>(result.plan.transport));
}

const std::string& label_of(const ResultDocument& document, const CaseResult& result) {
  return transport_of(document, result).plan.spec.label;
}

std::string initiator_name(const ResultDocument& document) {
  return printable(document.initiator_host.hostname);
}

std::string responder_name(const ResultDocument& document) {
  return document.responder_host ? printable(document.responder_host->hostname)
                                 : std::string("unknown");
}

std::pair<std::string, std::string> end_names(const ResultDocument& document) {
  const std::string initiator = initiator_name(document);
  const std::string responder = responder_name(document);
  if (initiator == responder) return {"initiator", "responder"};
  return {initiator, responder};
}

}  // namespace pairbench
