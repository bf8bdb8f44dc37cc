#include <algorithm>

#include "plan/plan.h"

namespace pairbench {
namespace {

std::optional<int> last(const std::vector<int>& cpus, std::optional<int> besides) {
  const auto found =
      std::find_if(cpus.rbegin(), cpus.rend(), [&](int cpu) { return cpu != besides; });
  return found == cpus.rend() ? std::nullopt : std::optional(*found);
}

std::optional<int> best(const EndCpus& end, std::optional<int> besides = std::nullopt) {
  const auto near = last(end.near_nic, besides);
  return near ? near : last(end.allowed, besides);
}

}  // namespace

Placement place(const Config& config, const EndCpus& initiator, const EndCpus& responder,
                bool one_host) {
  Placement result;
  result.responder_cpu = config.responder_cpu;
  if (config.initiator_cpu)
    result.initiator_cpu = config.initiator_cpu;
  else
    result.initiator_cpu = best(initiator, one_host ? config.responder_cpu : std::nullopt);
  if (!result.responder_cpu)
    result.responder_cpu = best(responder, one_host ? result.initiator_cpu : std::nullopt);

  // With one CPU for two spinners neither is pinned apart: both get the one there is.
  if (one_host && !result.initiator_cpu) result.initiator_cpu = best(initiator);
  if (one_host && !result.responder_cpu) result.responder_cpu = best(responder);
  result.crowded = one_host && result.initiator_cpu && result.initiator_cpu == result.responder_cpu;
  return result;
}

}  // namespace pairbench
