#include "report/json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace pairbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLineLength = 100;

bool only_numbers(const Json& json) {
  if (json.is_number() || json.is_null()) return true;
  return json.is_array() && std::all_of(json.begin(), json.end(), only_numbers);
}

// A lower bound of the length on one line, or anything above `most`.
std::size_t least_length(const Json& json, std::size_t most) {
  std::size_t length = 1 + json.size();
  if (!json.is_structured()) return 1;
  for (const auto& value : json) {
    if (length > most) break;
    length += least_length(value, most - length);
  }
  return length;
}

void write(std::string& out, const Json& json, std::size_t indent, std::size_t used) {
  if (!json.is_structured() || only_numbers(json)) {
    out += one_line(json);
    return;
  }
  // What is long for certain is not written just to see it.
  if (used + least_length(json, kLineLength) < kLineLength) {
    if (const std::string line = one_line(json); used + line.size() < kLineLength) {
      out += line;
      return;
    }
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

std::string one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string readable(const Json& json) {
  std::string out;
  write(out, json, 0, 0);
  return out;
}

}  // namespace pairbench
