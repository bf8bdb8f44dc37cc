#include <fmt/format.h>

#include <set>

#include "report/figures.h"
#include "report/notes.h"
#include "report/table.h"

namespace pairbench {
namespace {

std::string hosts(const ResultDocument& document) {
  if (!document.responder_host) return initiator_name(document);
  const std::string initiator = initiator_name(document);
  const std::string responder = responder_name(document);
  return initiator == responder ? initiator + ", both ends" : initiator + " <-> " + responder;
}

std::string link_speed(const TransportResult& transport) {
  const auto bits = link_bits_per_second(transport);
  return bits ? figure(static_cast<double>(*bits) / 1e9) + " Gb/s" : "";
}

std::string opened(const TransportResult& transport) {
  const auto& a = transport.initiator;
  const auto& b = transport.responder;
  if (!a) return "not opened";
  if (!b) return a->opened;
  return a->opened == b->opened ? a->opened + " both ends"
                                : a->opened + " and " + b->opened + " on the other end";
}

std::string library_version(const ResultDocument& document, const TransportResult& transport) {
  const auto& versions = document.initiator_host.versions;
  const auto found = versions.find(std::string(to_string(transport.plan.spec.kind)));
  return found == versions.end() ? "" : found->first + " " + found->second;
}

std::string transport_line(const ResultDocument& document, const TransportResult& transport) {
  std::string line = transport.plan.spec.label + " = " + opened(transport);
  const std::string fabric = transport.initiator && !transport.initiator->fabric.empty()
                                 ? "fabric " + transport.initiator->fabric
                                 : "";
  for (const auto& part : {fabric, library_version(document, transport), link_speed(transport)})
    if (!part.empty()) line += ", " + part;
  return comment(line);
}

// The CPUs on which one end's measuring thread ran, all repeats together.
std::string cpus(const ResultDocument& document, EndCounters RepeatResult::*end) {
  std::set<int> ran_on;
  for (const auto& result : document.cases)
    for (const auto& repeat : result.repeats)
      if ((repeat.*end).cpu) ran_on.insert(*(repeat.*end).cpu);
  return fmt::format("{}", fmt::join(ran_on, ", "));
}

std::string cpu_line(const ResultDocument& document) {
  const std::string initiator = cpus(document, &RepeatResult::initiator);
  const std::string responder = cpus(document, &RepeatResult::responder);
  if (initiator.empty() && responder.empty()) return {};
  const auto [here, there] = end_names(document);
  return comment(fmt::format("CPU {} {}, CPU {} {}", initiator.empty() ? kNotMeasured : initiator,
                             here, responder.empty() ? kNotMeasured : responder, there));
}

}  // namespace

std::string render_header(const ResultDocument& document) {
  constexpr std::size_t kShortId = 4;
  std::string out =
      comment(fmt::format("pairbench {}  {}  run {}  {}", document.tool_version, hosts(document),
                          document.run.id.substr(0, kShortId), document.run.started_at));
  for (const auto& transport : document.transports) out += transport_line(document, transport);
  return out + cpu_line(document);
}

}  // namespace pairbench
