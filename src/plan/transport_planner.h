// Decides what the cases of one transport share.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/plan.h"

namespace pairbench {

struct PlannedTransport {
  TransportPlan plan;
  std::uint64_t window;  // of its streams
};

// `largest`: the size of its largest case that runs. What the two ends cannot do as it was asked is
// in the plan's adjustments.
PlannedTransport plan_transport(const Config& config, const TransportSpec& spec,
                                const PairFacts& pair, const std::vector<Test>& tests,
                                std::uint64_t largest);

}  // namespace pairbench
