// The document as JSON: what results/schema.json states. Keys stay in the order of writing; times
// are nanoseconds with up to three decimals; what was not measured is null, what is not finite too;
// limits that are none are the string "unlimited".
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/error.h"
#include "plan/json_parser.h"
#include "report/document.h"

namespace pairbench {

inline constexpr JsonBounds kDocumentBounds{.depth = 64, .members = 1024};

// All but the cases and the warnings.
nlohmann::ordered_json to_header_json(const ResultDocument& document);
nlohmann::ordered_json to_document_json(const ResultDocument& document);

// The inverse. Unknown members are ignored. Throws FormatError (plan/json_fields.h) naming the
// member.
ResultDocument document_from_json(const nlohmann::ordered_json& json);

CaseStatus parse_case_status(const nlohmann::ordered_json& json);

// {"schema_version": 1, "error": {"code", "phase", "host", "message", "cause", "hint"}}, one line,
// with a newline.
std::string error_document(const Failure& failure);

// The document's text as files and --json hold it, with a newline.
std::string document_text(const ResultDocument& document);

// Reads what document_text wrote, and refuses what contradicts itself (report/consistency.h).
// `name` stands in front of every complaint. Throws Error(failed, read).
ResultDocument parse_document(std::string_view text, const std::string& name);

}  // namespace pairbench
