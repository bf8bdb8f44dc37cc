// JSON as text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pairbench {

// No newline at the end of either. Bytes that are not UTF-8 become U+FFFD.

std::string one_line(const nlohmann::ordered_json& json);

// Indented by one blank a level. What fits into 100 columns, and an array of numbers or of arrays
// of numbers whatever its length, stays on one line.
std::string readable(const nlohmann::ordered_json& json);

}  // namespace pairbench
