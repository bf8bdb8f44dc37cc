// What the kernel counted for the calling thread.
#pragma once

#include <cstdint>
#include <optional>

#include "control/messages.h"

namespace pairbench {

struct ThreadUsage {
  std::optional<std::uint64_t> involuntary_context_switches;
  std::optional<std::uint64_t> minor_page_faults;
  std::optional<std::uint64_t> major_page_faults;

  static ThreadUsage now();
};

// Adds what one block did to the counters of its case.
void add_usage(wire::CaseCounters& counters, const ThreadUsage& before, const ThreadUsage& after);

}  // namespace pairbench
