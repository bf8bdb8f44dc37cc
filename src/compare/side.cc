#include <algorithm>
#include <array>
#include <string_view>

#include "compare/compare.h"

namespace pairbench {
namespace {

// True of what is measured, whatever happens meanwhile.
bool is_a_disturbance(std::string_view flag) {
  constexpr std::array<std::string_view, 3> kOthers = {"ONE_HOST", "SOFTWARE_PROVIDER", "PROBE"};
  return std::ranges::find(kOthers, flag) == kOthers.end();
}

}  // namespace

std::size_t Side::finished_repeats() const {
  std::size_t most = 0;
  for (const CaseResult& result : document->cases)
    if (result.plan.transport == static_cast<int>(transport))
      most = std::max(most, result.repeats.size());
  return most;
}

std::map<std::string, std::size_t> Side::disturbances() const {
  std::map<std::string, std::size_t> cases;
  for (const CaseResult& result : document->cases) {
    if (result.plan.transport != static_cast<int>(transport) || !result.quality) continue;
    for (const std::string& flag : result.quality->flags)
      if (is_a_disturbance(flag)) ++cases[flag];
  }
  return cases;
}

}  // namespace pairbench
