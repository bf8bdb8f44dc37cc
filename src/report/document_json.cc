#include "report/document_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "plan/json.h"
#include "plan/json_fields.h"
#include "plan/json_parser.h"
#include "report/consistency.h"
#include "report/json_members.h"
#include "report/json_text.h"
#include "report/models.h"
#include "report/repeat_json.h"

namespace pairbench {
namespace {

using Json = nlohmann::ordered_json;

// Limits that are none.

constexpr const char* kUnlimited = "unlimited";
constexpr const char* kLimits[] = {"max_message_size", "max_tx_depth", "max_rx_depth",
                                   "max_inline",       "inline_limit", "memlock_limit_bytes",
                                   "open_files_limit"};

template <class T>
Json with_limits(const T& value) {
  Json json = value;
  for (const char* key : kLimits)
    if (const auto found = json.find(key); found != json.end() && *found == UINT64_MAX)
      *found = kUnlimited;
  return json;
}

template <class T>
T read_with_limits(Json json) {
  for (const char* key : kLimits)
    if (const auto found = json.find(key); found != json.end() && *found == kUnlimited)
      *found = UINT64_MAX;
  T value;
  decode(json, value);
  return value;
}

template <class T>
Json optional_with_limits(const std::optional<T>& value) {
  return value ? with_limits(*value) : Json(nullptr);
}

// Cases.

Json quality_json(const Quality& quality) {
  return {{"grade", std::string(to_string(quality.grade))}, {"flags", quality.flags}};
}

Quality quality_from_json(const Json& json) {
  Quality quality;
  read_member(json, "grade", [&](const Json& member) {
    decode_name(member, quality.grade, {Grade::a, Grade::b, Grade::c});
  });
  read_field(json, "flags", quality.flags);
  return quality;
}

// The transport goes by its label, and why a case was skipped is its reason like any other.
Json case_json(const CaseResult& result, const std::vector<TransportResult>& transports) {
  Json json = result.plan;
  json["transport"] =
      transports.at(static_cast<std::size_t>(result.plan.transport)).plan.spec.label;
  json.erase("skipped");
  json["status"] = std::string(to_string(result.status));
  json["reason"] = result.reason.empty() ? Json(nullptr) : Json(result.reason);
  json["repeats"] = Json::array();
  for (const auto& repeat : result.repeats) json["repeats"].push_back(to_repeat_json(repeat));
  json["summary"] = to_summary_json(result.summary);
  json["quality"] = result.quality ? quality_json(*result.quality) : Json(nullptr);
  return json;
}

int transport_index(const std::string& label, const std::vector<TransportResult>& transports) {
  const auto found = std::find_if(transports.begin(), transports.end(),
                                  [&](const auto& t) { return label == t.plan.spec.label; });
  if (found == transports.end())
    throw FormatError("transport", "a label of one of transports[] is needed");
  return static_cast<int>(found - transports.begin());
}

// A case whose transport is still a label.
struct LabelledCase {
  std::string label;
  CaseResult result;
};

LabelledCase case_from_json(const Json& json) {
  require_object(json);
  LabelledCase out;
  CaseResult& result = out.result;
  read_field(json, "transport", out.label);
  Json plan = Json::object();
  for (const auto& [key, value] : json.items())
    if (key != "repeats") plan[key] = value;  // which are large
  plan["transport"] = 0;
  decode(plan, result.plan);
  read_member(json, "status", [&](const Json& m) { result.status = parse_case_status(m); });
  std::optional<std::string> reason;
  read_field(json, "reason", reason);
  result.reason = reason.value_or("");
  if (result.status == CaseStatus::skipped) result.plan.skipped = result.reason;
  read_list(json, "repeats", result.repeats, repeat_from_json);
  read_member(json, "summary", [&](const Json& m) { result.summary = summary_from_json(m); });
  read_optional(json, "quality", result.quality, quality_from_json);
  return out;
}

FormatError in_case(const FormatError& error, std::size_t index) {
  return error.within("[" + std::to_string(index) + "]").within("cases");
}

void add_cases(ResultDocument& document, std::vector<LabelledCase> cases) {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    try {
      cases[i].result.plan.transport = transport_index(cases[i].label, document.transports);
    } catch (const FormatError& error) {
      throw in_case(error, i);
    }
    document.cases.push_back(std::move(cases[i].result));
  }
}

// The context.

Json clock_json(const std::optional<ClockScale>& scale) {
  if (!scale) return nullptr;
  Json json = *scale;
  json["quantum_ns"] = nanoseconds(scale->quantum_ns);
  json["read_cost_ns"] = nanoseconds(scale->read_cost_ns);
  return json;
}

Json run_json(const ResultDocument& document) {
  const RunInfo& run = document.run;
  Json json = {{"id", run.id},
               {"started_at", run.started_at},
               {"ended_at", run.ended_at},
               {"argv", run.argv},
               {"seed", run.seed},
               {"repeats", document.repeats},
               {"control_address", nullptr},
               {"complete", run.complete},
               {"failure", run.failure}};
  if (!document.control_address.empty()) json["control_address"] = document.control_address;
  return json;
}

void read_run(const Json& json, ResultDocument& document) {
  RunInfo& run = document.run;
  read_field(json, "id", run.id);
  read_field(json, "started_at", run.started_at);
  read_field(json, "ended_at", run.ended_at);
  read_field(json, "argv", run.argv);
  read_field(json, "seed", run.seed);
  read_field(json, "repeats", document.repeats);
  std::optional<std::string> address;
  read_field(json, "control_address", address);
  document.control_address = address.value_or("");
  read_field(json, "complete", run.complete);
  read_field(json, "failure", run.failure);
}

Json transport_json(const TransportResult& transport) {
  Json plan = with_limits(transport.plan);
  plan.erase("spec");
  plan.erase("adjustments");
  const auto& initiator = transport.initiator;
  return {{"label", transport.plan.spec.label},
          {"asked", transport.plan.spec.text},
          {"opened", initiator ? Json(initiator->opened) : Json(nullptr)},
          {"one_host", transport.one_host},
          {"plan", plan},
          {"adjustments", transport.plan.adjustments},
          {"initiator", optional_with_limits(initiator)},
          {"responder", optional_with_limits(transport.responder)}};
}

TransportSpec spec_from(const std::string& asked, std::string label) {
  try {
    TransportSpec spec = parse_transport(asked);
    spec.label = std::move(label);
    return spec;
  } catch (const Error& error) {
    throw FormatError("asked", error.failure().message);
  }
}

TransportResult transport_from_json(const Json& json) {
  TransportResult transport;
  std::string label;
  std::string asked;
  read_field(json, "label", label);
  read_field(json, "asked", asked);
  read_field(json, "one_host", transport.one_host);
  read_member(json, "plan", [&](Json plan) {
    require_object(plan);
    plan["spec"] = spec_from(asked, label);
    plan["adjustments"] = Json::array();
    transport.plan = read_with_limits<TransportPlan>(std::move(plan));
  });
  read_field(json, "adjustments", transport.plan.adjustments);
  read_optional(json, "initiator", transport.initiator, read_with_limits<Capabilities>);
  read_optional(json, "responder", transport.responder, read_with_limits<Capabilities>);
  return transport;
}

Json piece_json(const HockneyPiece& piece) {
  const auto half = piece.half_rate_bytes();
  return {{"from_bytes", piece.from_bytes},
          {"to_bytes", piece.to_bytes},
          {"alpha_ns", nanoseconds(piece.alpha_ns)},
          {"ns_per_byte", piece.ns_per_byte},
          {"half_rate_bytes", half ? Json(*half) : Json(nullptr)}};
}

Json model_json(const LatencyModel& model, const ResultDocument& document) {
  Json json = {
      {"transport", document.transports[static_cast<std::size_t>(model.transport)].plan.spec.label},
      {"pieces", Json::array()}};
  for (const HockneyPiece& piece : model.pieces) json["pieces"].push_back(piece_json(piece));
  return json;
}

Json warning_json(const Warning& warning) {
  return {{"code", warning.code},
          {"message", warning.message},
          {"host", warning.host.empty() ? Json(nullptr) : Json(warning.host)}};
}

Warning warning_from_json(const Json& json) {
  Warning warning;
  read_field(json, "code", warning.code);
  read_field(json, "message", warning.message);
  std::optional<std::string> host;
  read_field(json, "host", host);
  warning.host = host.value_or("");
  return warning;
}

void check_version(const Json& json) {
  if (!json.is_object()) throw FormatError("", "this is no pairbench result");
  const auto version = json.find("schema_version");
  if (version == json.end())
    throw FormatError("", "no schema_version: this is no pairbench result");
  if (*version != kSchemaVersion)
    throw FormatError("", fmt::format("schema_version {}: this pairbench reads version {} alone",
                                      version->dump(), kSchemaVersion));
  if (json.contains("comparisons"))
    throw FormatError("", "this is a comparison of results, not a result");
  const auto error = json.find("error");
  if (error == json.end()) return;
  const bool told = error->is_object() && error->contains("message");
  throw FormatError("", "the run gave no result but an error: " +
                            (told ? error->at("message").dump() : error->dump()));
}

[[noreturn]] void refuse_text(const std::string& name, const std::string& what) {
  throw Error(ExitStatus::failed, Phase::read, name + ": " + what);
}

}  // namespace

CaseStatus parse_case_status(const Json& json) {
  CaseStatus status = CaseStatus::not_run;
  decode_name(json, status,
              {CaseStatus::ok, CaseStatus::skipped, CaseStatus::failed, CaseStatus::not_run});
  return status;
}

Json to_header_json(const ResultDocument& document) {
  Json json = {
      {"schema_version", kSchemaVersion},
      {"tool", {{"name", "pairbench"}, {"version", document.tool_version}}},
      {"run", run_json(document)},
      {"hosts",
       {{"initiator", with_limits(document.initiator_host)},
        {"responder", optional_with_limits(document.responder_host)}}},
      {"clock",
       {{"initiator", clock_json(document.clock)},
        {"responder", clock_json(document.responder_clock)}}},
      {"pinned_cpu",
       {{"initiator", document.pinned_cpu}, {"responder", document.responder_pinned_cpu}}},
      {"samples_locked", document.samples_locked},
      {"detours", {{"initiator", document.detours}, {"responder", document.responder_detours}}},
      {"config", document.config},
      {"adjustments", document.adjustments},
      {"transports", Json::array()}};
  for (const auto& transport : document.transports)
    json["transports"].push_back(transport_json(transport));
  return json;
}

Json to_document_json(const ResultDocument& document) {
  Json json = to_header_json(document);
  json["cases"] = Json::array();
  for (const auto& result : document.cases)
    json["cases"].push_back(case_json(result, document.transports));
  json["models"] = Json::array();
  for (const LatencyModel& model : latency_models(document))
    json["models"].push_back(model_json(model, document));
  json["warnings"] = Json::array();
  for (const auto& warning : document.warnings) json["warnings"].push_back(warning_json(warning));
  return json;
}

ResultDocument document_from_json(const Json& json) {
  check_version(json);
  ResultDocument document;
  read_member(json, "tool",
              [&](const Json& m) { read_field(m, "version", document.tool_version); });
  read_member(json, "run", [&](const Json& m) { read_run(m, document); });
  read_member(json, "hosts", [&](const Json& hosts) {
    read_member(hosts, "initiator",
                [&](const Json& m) { document.initiator_host = read_with_limits<HostFacts>(m); });
    read_optional(hosts, "responder", document.responder_host, read_with_limits<HostFacts>);
  });
  read_member(json, "clock", [&](const Json& clock) {
    read_field(clock, "initiator", document.clock);
    read_field(clock, "responder", document.responder_clock);
  });
  read_member(json, "pinned_cpu", [&](const Json& pinned) {
    read_field(pinned, "initiator", document.pinned_cpu);
    read_field(pinned, "responder", document.responder_pinned_cpu);
  });
  read_member(json, "detours", [&](const Json& detours) {
    read_field(detours, "initiator", document.detours);
    read_field(detours, "responder", document.responder_detours);
  });
  read_field(json, "samples_locked", document.samples_locked);
  read_field(json, "config", document.config);
  read_field(json, "adjustments", document.adjustments);
  read_list(json, "transports", document.transports, transport_from_json);
  std::vector<LabelledCase> cases;
  read_list(json, "cases", cases, case_from_json);
  add_cases(document, std::move(cases));
  read_list(json, "warnings", document.warnings, warning_from_json);
  return document;
}

std::string error_document(const Failure& failure) {
  const Json json = {{"schema_version", kSchemaVersion}, {"error", failure}};
  return one_line(json) + "\n";
}

std::string document_text(const ResultDocument& document) {
  return readable(to_document_json(document)) + "\n";
}

ResultDocument parse_document(std::string_view text, const std::string& name) {
  if (text.empty()) refuse_text(name, "the file is empty");
  std::vector<LabelledCase> cases;
  const auto take = [&cases](const Json& json) {
    try {
      cases.push_back(case_from_json(json));
    } catch (const FormatError& error) {
      throw in_case(error, cases.size());
    }
  };
  try {
    ResultDocument document =
        document_from_json(parse_json(text, kDocumentBounds, {"cases", take}));
    add_cases(document, std::move(cases));
    require_consistent(document);
    return document;
  } catch (const FormatError& error) {
    refuse_text(name, error.what());
  }
}

}  // namespace pairbench
