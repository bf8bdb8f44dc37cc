// JSON text of others as values. Pure: no I/O.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>

namespace pairbench {

// How far text may go. Work on values recurses as deep as they are nested, and each member of an
// object is looked for among those before it.
struct JsonBounds {
  std::size_t depth = 0;
  std::size_t members = 0;  // of one object
};

// A list that is a member of the outermost object: its elements are handed over one by one, and the
// list stays empty. As values, a long one would take several times the memory of its text.
struct JsonList {
  std::string_view member;
  std::function<void(nlohmann::ordered_json element)> take;  // what it throws is thrown on
};

// Throws FormatError (plan/json_fields.h) for text that is no JSON or goes beyond the bounds. Takes
// time in proportion to the text, whatever it says.
nlohmann::ordered_json parse_json(std::string_view text, const JsonBounds& bounds,
                                  const JsonList& list = {});

}  // namespace pairbench
