#include "report/gbench.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "plan/json.h"
#include "plan/json_fields.h"
#include "report/figures.h"
#include "report/json_text.h"

namespace pairbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kNsPerSecond = 1e9;

// What one repeat, or the summary, says of a case.
struct Entry {
  std::optional<double> time_ns;
  std::optional<double> bytes_per_second;
  std::optional<double> messages_per_second;
};

std::optional<double> time_a_message(const std::optional<double>& messages_per_second) {
  if (!messages_per_second || *messages_per_second <= 0) return std::nullopt;
  return kNsPerSecond / *messages_per_second;
}

Entry entry_of(const CaseSummary& s) {
  const auto messages = value_of(s.messages_per_second);
  return {s.rtt_ns ? value_of(s.rtt_ns->p50) : time_a_message(messages),
          value_of(s.delivered_bytes_per_second), messages};
}

// The same figures of one repeat: the summary of a case that has no other.
Entry entry_of(const CaseResult& result, const RepeatResult& repeat) {
  return entry_of(summary_of(result.plan.test, result.plan.size_bytes, {&repeat, 1}));
}

Json common(const std::string& name, std::size_t family, const CaseResult& result) {
  return {{"name", name},     {"family_index", family},  {"per_family_instance_index", 0},
          {"run_name", name}, {"run_type", "iteration"}, {"repetitions", result.repeats.size()},
          {"threads", 1}};
}

void add_figures(Json& json, const Entry& entry) {
  json["real_time"] = *entry.time_ns;
  json["cpu_time"] = *entry.time_ns;
  json["time_unit"] = "ns";
  if (entry.bytes_per_second) json["bytes_per_second"] = *entry.bytes_per_second;
  if (entry.messages_per_second) json["items_per_second"] = *entry.messages_per_second;
}

void add_case(Json& list, const ResultDocument& document, std::size_t index) {
  const CaseResult& result = document.cases[index];
  const std::string name = fmt::format("{}/{}/{}", label_of(document, result),
                                       to_string(result.plan.test), result.plan.size_bytes);
  for (const auto& repeat : result.repeats) {
    const Entry entry = entry_of(result, repeat);
    if (!entry.time_ns) continue;
    Json json = common(name, index, result);
    json["repetition_index"] = repeat.repeat;
    json["iterations"] = repeat.messages;
    add_figures(json, entry);
    list.push_back(json);
  }
  const Entry median = entry_of(result.summary);
  if (result.repeats.size() < 2 || !median.time_ns) return;
  Json json = common(name, index, result);
  json["name"] = name + "_median";
  json["run_type"] = "aggregate";
  json["aggregate_name"] = "median";
  json["aggregate_unit"] = "time";
  json["iterations"] = result.repeats.size();
  add_figures(json, median);
  list.push_back(json);
}

}  // namespace

std::string render_gbench(const ResultDocument& document) {
  Json json = {{"context",
                {{"date", document.run.started_at},
                 {"host_name", document.initiator_host.hostname},
                 {"executable", "pairbench"},
                 {"num_cpus", document.initiator_host.cpus_online},
                 {"library_version", document.tool_version},
                 {"pairbench_run", document.run.id},
                 {"caches", Json::array()}}},
               {"benchmarks", Json::array()}};
  for (std::size_t i = 0; i < document.cases.size(); ++i)
    if (document.cases[i].status == CaseStatus::ok) add_case(json["benchmarks"], document, i);
  return readable(json) + "\n";
}

}  // namespace pairbench
