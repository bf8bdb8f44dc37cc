#include "harness/probe_figures.h"

#include <vector>

namespace pairbench {

ProbeFigures probe_figures(std::span<const ProbePair> pairs, std::uint64_t chunk,
                           const ClockScale& clock) {
  std::vector<double> effects;
  double batched_ns = 0;
  for (const ProbePair& pair : pairs) {
    batched_ns += clock.to_ns(pair.batched);
    effects.push_back((clock.to_ns(pair.stamped) - clock.to_ns(pair.batched)) /
                      static_cast<double>(chunk - 1));
  }
  return {chunk, pairs.size(), batched_ns / static_cast<double>(chunk * pairs.size()),
          over_repeats(effects).value_or(Estimate{})};
}

}  // namespace pairbench
