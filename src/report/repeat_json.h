// What was measured, as JSON: one repeat of a case, and the summary of a case.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/document.h"

namespace pairbench {

// Reading throws FormatError (plan/json_fields.h) naming the member.

nlohmann::ordered_json to_repeat_json(const RepeatResult& repeat);
RepeatResult repeat_from_json(const nlohmann::ordered_json& json);

nlohmann::ordered_json to_summary_json(const CaseSummary& summary);
CaseSummary summary_from_json(const nlohmann::ordered_json& json);

// A time with up to three decimals; null where it is not finite.
nlohmann::ordered_json nanoseconds(double ns);

}  // namespace pairbench
