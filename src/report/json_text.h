// JSON as text, read and laid out.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace pairbench {

// nullopt where the text is no JSON, or nested so deeply (64 levels) that working on it could
// exhaust the stack. `callback` may take parts out while they are parsed; what it throws is thrown
// on.
using ParseCallback = nlohmann::ordered_json::parser_callback_t;
std::optional<nlohmann::ordered_json> parse_json(std::string_view text,
                                                 const ParseCallback& callback = nullptr);

// No newline at the end of either. Bytes that are not UTF-8 become U+FFFD.

std::string one_line(const nlohmann::ordered_json& json);

// Indented by one blank a level. What fits into 100 columns, and an array of numbers or of arrays
// of numbers whatever its length, stays on one line.
std::string readable(const nlohmann::ordered_json& json);

}  // namespace pairbench
