#include "compare/differences.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "report/document_json.h"

namespace pairbench {
namespace {

using Json = nlohmann::ordered_json;
using Facts = std::vector<std::pair<std::string, std::string>>;

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// "/hosts/initiator/kernel" -> "hosts.initiator.kernel"
std::string dotted(std::string pointer) {
  pointer.erase(0, 1);
  std::ranges::replace(pointer, '/', '.');
  return pointer;
}

Facts facts_of(const Json& json) {
  Facts facts;
  if (json.empty()) return facts;
  const Json flat = json.flatten();
  for (const auto& [pointer, value] : flat.items())
    if (!value.is_null()) facts.emplace_back(dotted(pointer), text_of(value));
  return facts;
}

void erase_everywhere(Json& json, std::initializer_list<const char*> keys) {
  if (!json.is_structured()) return;
  if (json.is_object())
    for (const char* key : keys) json.erase(key);
  for (Json& member : json) erase_everywhere(member, keys);
}

// What a transport was given, whatever it is.
Json treatment(const Json& transport) {
  Json out = {{"plan", transport.at("plan")}};
  for (const char* end : {"initiator", "responder"})
    if (transport.at(end).is_object())
      out[end] = {{"send_completion", transport.at(end).at("send_completion")}};
  return out;
}

Json side_json(const Side& side, bool same_run) {
  const Json header = to_header_json(*side.document);
  const Json& transport = header.at("transports").at(side.transport);
  if (same_run) return treatment(transport);
  Json out;
  for (const char* key : {"tool", "hosts", "clock", "pinned_cpu", "config"})
    out[key] = header.at(key);
  out["config"].erase("transports");
  out["config"].erase("seed");
  out["transport"] = transport;
  erase_everywhere(out, {"boot_id", "ns_per_tick", "quantum_ns", "read_cost_ns", "uncertainty_ppm",
                         "drift_ppm", "label", "asked"});
  return out;
}

}  // namespace

std::vector<Difference> differences_of(const Side& baseline, const Side& candidate) {
  const bool same_run = baseline.document == candidate.document;
  const Facts a = facts_of(side_json(baseline, same_run));
  const Facts b = facts_of(side_json(candidate, same_run));
  const std::map<std::string, std::string> a_by_name(a.begin(), a.end());
  std::map<std::string, std::string> b_by_name(b.begin(), b.end());
  constexpr std::string_view kAbsent = "-";
  std::vector<Difference> differences;
  for (const auto& [what, value] : a) {
    const auto other = b_by_name.find(what);
    const std::string text = other == b_by_name.end() ? std::string(kAbsent) : other->second;
    if (text != value) differences.push_back({what, value, text});
  }
  for (const auto& [what, value] : b)
    if (!a_by_name.contains(what)) differences.push_back({what, std::string(kAbsent), value});
  return differences;
}

}  // namespace pairbench
