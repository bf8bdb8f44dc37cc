// Reading JSON that somebody else wrote: strict about types and ranges, and every complaint names
// its field.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"

// nlohmann-json below 3.12 does not know std::optional.
template <class T>
struct nlohmann::adl_serializer<std::optional<T>> {
  template <class Json>
  static void to_json(Json& json, const std::optional<T>& value) {
    if (value) {
      json = *value;
    } else {
      json = nullptr;
    }
  }
  template <class Json>
  static void from_json(const Json& json, std::optional<T>& value) {
    if (json.is_null()) {
      value.reset();
    } else {
      value = json.template get<T>();
    }
  }
};

namespace pairbench {

// What was not as it should be, and where: "cases[3].size_bytes: a whole number of 0 to … is
// needed".
class FormatError : public std::runtime_error {
 public:
  FormatError(std::string path, std::string problem)
      : std::runtime_error(path.empty() ? problem : path + ": " + problem),
        path_(std::move(path)),
        problem_(std::move(problem)) {}

  const std::string& path() const noexcept { return path_; }

  // The same complaint, seen from the value that holds this one as a member "name" or an element
  // "[3]".
  FormatError within(const std::string& holder) const {
    const bool joined = path_.empty() || path_.front() == '[';
    return FormatError(holder + (joined ? "" : ".") + path_, problem_);
  }

 private:
  std::string path_;
  std::string problem_;
};

// Takes `json` into `out`; a value of another type or out of range throws FormatError.
// std::nanoseconds are whole numbers; null is an unset optional; structs go through their
// from_json.
template <class T>
void decode(const nlohmann::ordered_json& json, T& out);

namespace json_detail {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

template <class T>
struct IsMap : std::false_type {};
template <class T>
struct IsMap<std::map<std::string, T>> : std::true_type {};

inline void require(bool holds, const char* needed) {
  if (!holds) throw FormatError("", std::string(needed) + " is needed");
}

template <class T>
bool is_integer_of(const nlohmann::ordered_json& json) {
  if (json.is_number_unsigned()) return std::in_range<T>(json.get<std::uint64_t>());
  return json.is_number_integer() && std::in_range<T>(json.get<std::int64_t>());
}

template <class T>
void decode_integer(const nlohmann::ordered_json& json, T& out) {
  if (!is_integer_of<T>(json)) {
    throw FormatError("", "a whole number of " + std::to_string(std::numeric_limits<T>::min()) +
                              " to " + std::to_string(std::numeric_limits<T>::max()) +
                              " is needed");
  }
  out = json.get<T>();
}

// Takes what `holder`, a member's name or an element's "[3]", holds.
template <class T, class Holder>
void decode_within(const nlohmann::ordered_json& json, T& out, const Holder& holder) {
  try {
    decode(json, out);
  } catch (const FormatError& error) {
    throw error.within(holder);
  }
}

}  // namespace json_detail

template <class T>
void decode(const nlohmann::ordered_json& json, T& out) {
  using json_detail::require;
  if constexpr (std::is_same_v<T, bool>) {
    require(json.is_boolean(), "true or false");
    out = json.get<bool>();
  } else if constexpr (std::is_integral_v<T>) {
    json_detail::decode_integer(json, out);
  } else if constexpr (std::is_floating_point_v<T>) {
    require(json.is_number(), "a number");
    out = json.get<T>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    require(json.is_string(), "a string");
    out = json.get_ref<const std::string&>();
  } else if constexpr (std::is_same_v<T, std::chrono::nanoseconds>) {
    std::int64_t count = 0;
    json_detail::decode_integer(json, count);
    out = std::chrono::nanoseconds(count);
  } else if constexpr (json_detail::IsOptional<T>::value) {
    if (json.is_null()) return out.reset();
    // Not out.emplace(): GCC 14 takes what that destroys for uninitialised.
    typename T::value_type value{};
    decode(json, value);
    out = std::move(value);
  } else if constexpr (json_detail::IsVector<T>::value) {
    require(json.is_array(), "an array");
    out.clear();
    for (const auto& element : json) {
      const std::string holder = "[" + std::to_string(out.size()) + "]";
      json_detail::decode_within(element, out.emplace_back(), holder);
    }
  } else if constexpr (json_detail::IsMap<T>::value) {
    require(json.is_object(), "an object");
    out.clear();
    for (const auto& [key, value] : json.items())
      json_detail::decode_within(value, out[key], shortened(key));
  } else {
    from_json(json, out);
  }
}

// Takes the member `name` of an object. A missing member is an error, or an unset optional.
template <class T>
void read_field(const nlohmann::ordered_json& object, const char* name, T& out) {
  json_detail::require(object.is_object(), "an object");
  const auto found = object.find(name);
  if (found == object.end()) {
    if constexpr (json_detail::IsOptional<T>::value) {
      out.reset();
      return;
    } else {
      throw FormatError(name, "is missing");
    }
  }
  json_detail::decode_within(*found, out, name);
}

// Takes the enumerator whose to_string is the given text.
template <class E>
void decode_name(const nlohmann::ordered_json& json, E& out, std::initializer_list<E> all) {
  std::string names;
  for (const E value : all) {
    if (json.is_string() && json.get_ref<const std::string&>() == to_string(value)) {
      out = value;
      return;
    }
    names += (names.empty() ? "" : ", ") + std::string(to_string(value));
  }
  throw FormatError("", "one of " + names + " is needed");
}

}  // namespace pairbench
