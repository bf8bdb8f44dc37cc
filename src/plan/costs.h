// What carrying a plan out takes.
#pragma once

#include <chrono>
#include <cstdint>

#include "plan/plan.h"

namespace pairbench {

// Bytes that one host needs: message buffers, stamps and samples, what is kept of each operation. A
// server computes it anew instead of believing what it is sent; UINT64_MAX when the sum is beyond
// counting.
std::uint64_t memory_needed(const Plan& plan);

// All repeats together, without the look for gaps; a guess where cases count iterations.
std::chrono::nanoseconds time_needed(const Plan& plan);

}  // namespace pairbench
