#include "compare/repeat_values.h"

namespace pairbench {

void keep_common(RepeatValues& values, const RepeatValues& others) {
  std::erase_if(values, [&](const auto& value) { return !others.contains(value.first); });
}

std::vector<double> plain(const RepeatValues& values) {
  std::vector<double> out;
  for (const auto& [repeat, value] : values) out.push_back(value);
  return out;
}

// The cases of one test that a side finished, by size.
std::map<std::uint64_t, const CaseResult*> finished(const Side& side, Test test) {
  std::map<std::uint64_t, const CaseResult*> cases;
  for (const CaseResult& result : side.document->cases)
    if (result.plan.transport == static_cast<int>(side.transport) && result.plan.test == test &&
        result.status == CaseStatus::ok)
      cases.emplace(result.plan.size_bytes, &result);
  return cases;
}

}  // namespace pairbench
