// One figure of a case, repeat by repeat.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "compare/compare.h"

namespace pairbench {

// By the repeat's number.
using RepeatValues = std::map<int, double>;

// Drops what the other side has no value for.
void keep_common(RepeatValues& values, const RepeatValues& others);

// In the order of the repeats.
std::vector<double> plain(const RepeatValues& values);

// The cases of one test that a side finished, by size.
std::map<std::uint64_t, const CaseResult*> finished(const Side& side, Test test);

}  // namespace pairbench
