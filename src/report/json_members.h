// Members that are read by a function of their own, so that complaints name them.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plan/json_fields.h"

namespace pairbench {

inline void require_object(const nlohmann::ordered_json& json) {
  if (!json.is_object()) throw FormatError("", "an object is needed");
}

template <class Read>
void read_member(const nlohmann::ordered_json& json, const char* name, Read read) {
  const auto found = json.find(name);
  if (found == json.end()) throw FormatError(name, "is missing");
  try {
    read(*found);
  } catch (const FormatError& error) {
    throw error.within(name);
  }
}

// A missing or null member leaves `out` unset.
template <class T, class Read>
void read_optional(const nlohmann::ordered_json& json, const char* name, std::optional<T>& out,
                   Read read) {
  const auto found = json.find(name);
  if (found == json.end() || found->is_null()) return;
  read_member(json, name, [&](const nlohmann::ordered_json& member) { out = read(member); });
}

template <class T, class Read>
void read_list(const nlohmann::ordered_json& json, const char* name, std::vector<T>& out,
               Read read) {
  read_member(json, name, [&](const nlohmann::ordered_json& list) {
    if (!list.is_array()) throw FormatError("", "an array is needed");
    for (std::size_t i = 0; i < list.size(); ++i) {
      try {
        out.push_back(read(list[i]));
      } catch (const FormatError& error) {
        throw error.within("[" + std::to_string(i) + "]");
      }
    }
  });
}

}  // namespace pairbench
