#include "report/json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace pairbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kColumns = 100;

bool only_numbers(const Json& json) {
  if (json.is_number() || json.is_null()) return true;
  return json.is_array() && std::all_of(json.begin(), json.end(), only_numbers);
}

void write(std::string& out, const Json& json, std::size_t indent, std::size_t used) {
  std::string line = one_line(json);
  if (!json.is_structured() || only_numbers(json) || used + line.size() < kColumns) {
    out += line;
    return;
  }
  out += json.is_object() ? '{' : '[';
  const char* separator = "\n";
  for (const auto& [key, value] : json.items()) {
    out += separator + std::string(indent + 1, ' ');
    const std::string name = json.is_object() ? one_line(Json(key)) + ": " : "";
    out += name;
    write(out, value, indent + 1, indent + 1 + name.size());
    separator = ",\n";
  }
  out += "\n" + std::string(indent, ' ') + (json.is_object() ? '}' : ']');
}

}  // namespace

std::optional<Json> parse_json(std::string_view text) {
  constexpr int kMostLevels = 64;
  struct TooDeep {};
  const auto check_depth = [](int depth, Json::parse_event_t, Json&) {
    if (depth > kMostLevels) throw TooDeep{};
    return true;
  };
  try {
    Json json = Json::parse(text, check_depth, /*allow_exceptions=*/false);
    if (json.is_discarded()) return std::nullopt;
    return json;
  } catch (const TooDeep&) {
    return std::nullopt;
  }
}

std::string one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string readable(const Json& json) {
  std::string out;
  write(out, json, 0, 0);
  return out;
}

}  // namespace pairbench
