// Whether the figures of one repeat can be true together: a part of report/consistency.h.
#pragma once

#include <cstddef>
#include <string>

#include "plan/json_fields.h"
#include "report/document.h"

namespace pairbench {

// Throws FormatError naming the member.
void check_repeat(const Case& plan, const RepeatResult& repeat);

// low <= value <= high, as far as there are bounds.
void check_interval(const char* member, const Estimate& figure);

// Runs `check`, whose complaints are then those of the member, or of the element.

template <class Check>
void within_member(const char* member, Check check) {
  try {
    check();
  } catch (const FormatError& error) {
    throw error.within(member);
  }
}

template <class Check>
void within_element(std::size_t index, Check check) {
  try {
    check();
  } catch (const FormatError& error) {
    throw error.within("[" + std::to_string(index) + "]");
  }
}

}  // namespace pairbench
