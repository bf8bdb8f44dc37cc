// The JSON form of what both hosts exchange and results keep. Keys are the members' names;
// durations are whole nanoseconds under a key that ends in _ns; enumerations go by their to_string
// names; an unset optional is null. Reading ignores unknown members, takes a missing optional for
// null, and throws FormatError (plan/json_fields.h) naming the member that is missing or malformed.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "base/detours.h"
#include "base/error.h"
#include "base/host_facts.h"
#include "plan/config.h"
#include "plan/plan.h"
#include "plan/transport_spec.h"
#include "transport/capabilities.h"

namespace pairbench {

// The status travels as "code": the exit status's number.
void to_json(nlohmann::ordered_json& json, const Failure& failure);
void from_json(const nlohmann::ordered_json& json, Failure& failure);

void to_json(nlohmann::ordered_json& json, const HostFacts& facts);
void from_json(const nlohmann::ordered_json& json, HostFacts& facts);

void to_json(nlohmann::ordered_json& json, const ClockScale& scale);
void from_json(const nlohmann::ordered_json& json, ClockScale& scale);

void to_json(nlohmann::ordered_json& json, const Detours& detours);
void from_json(const nlohmann::ordered_json& json, Detours& detours);

void to_json(nlohmann::ordered_json& json, const PathOptions& path);
void from_json(const nlohmann::ordered_json& json, PathOptions& path);

void to_json(nlohmann::ordered_json& json, const Capabilities& capabilities);
void from_json(const nlohmann::ordered_json& json, Capabilities& capabilities);

void to_json(nlohmann::ordered_json& json, const TransportSpec& spec);
void from_json(const nlohmann::ordered_json& json, TransportSpec& spec);

// "auto", or the limit in bytes (0 is off).
void to_json(nlohmann::ordered_json& json, const InlineChoice& choice);
void from_json(const nlohmann::ordered_json& json, InlineChoice& choice);

void to_json(nlohmann::ordered_json& json, const Config& config);
void from_json(const nlohmann::ordered_json& json, Config& config);

void to_json(nlohmann::ordered_json& json, const Adjustment& adjustment);
void from_json(const nlohmann::ordered_json& json, Adjustment& adjustment);

void to_json(nlohmann::ordered_json& json, const Case& plan);
void from_json(const nlohmann::ordered_json& json, Case& plan);

void to_json(nlohmann::ordered_json& json, const TransportPlan& plan);
void from_json(const nlohmann::ordered_json& json, TransportPlan& plan);

void to_json(nlohmann::ordered_json& json, const Plan& plan);
void from_json(const nlohmann::ordered_json& json, Plan& plan);

void to_json(nlohmann::ordered_json& json, Phase phase);
void from_json(const nlohmann::ordered_json& json, Phase& phase);
void to_json(nlohmann::ordered_json& json, ClockSource source);
void from_json(const nlohmann::ordered_json& json, ClockSource& source);
void to_json(nlohmann::ordered_json& json, ClockChoice choice);
void from_json(const nlohmann::ordered_json& json, ClockChoice& choice);
void to_json(nlohmann::ordered_json& json, SendCompletion completion);
void from_json(const nlohmann::ordered_json& json, SendCompletion& completion);
void to_json(nlohmann::ordered_json& json, TransportKind kind);
void from_json(const nlohmann::ordered_json& json, TransportKind& kind);
void to_json(nlohmann::ordered_json& json, Test test);
void from_json(const nlohmann::ordered_json& json, Test& test);
void to_json(nlohmann::ordered_json& json, CompletionMode mode);
void from_json(const nlohmann::ordered_json& json, CompletionMode& mode);
void to_json(nlohmann::ordered_json& json, Preset preset);
void from_json(const nlohmann::ordered_json& json, Preset& preset);

}  // namespace pairbench
