// What the machine does to a measuring thread while it measures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/detours.h"
#include "base/nic_counters.h"
#include "plan/end_counters.h"
#include "plan/plan.h"

namespace pairbench {

// What the kernel counted for the calling thread.
struct ThreadUsage {
  std::optional<std::uint64_t> involuntary_context_switches;
  std::optional<std::uint64_t> minor_page_faults;
  std::optional<std::uint64_t> major_page_faults;

  static ThreadUsage now();
};

// Adds what one block did to the counters of its case.
void add_usage(EndCounters& counters, const ThreadUsage& before, const ThreadUsage& after);

// The state of the calling thread's CPU and of its adapter.
struct MachineState {
  std::optional<int> cpu;
  std::optional<double> steal_ns;
  std::optional<double> frequency_mhz;
  std::optional<NicCounters> nic;

  // `nic`: the adapter's name, empty where there is none. Reads files: not within a timed block.
  static MachineState now(const std::string& nic);
};

// Writes what changed within one case into its counters. A thread that changed its CPU meanwhile
// leaves the CPU's figures null.
void add_changes(EndCounters& counters, const MachineState& before, const MachineState& after);

// The name under which an adapter counts: the NIC's, else the domain's.
std::string adapter_of(const Capabilities& capabilities);

// Looks for gaps above a microsecond in this CPU's time, for as long as the plan says; nullopt
// where it says nothing.
std::optional<Detours> look_for_detours(const Plan& plan, const ClockScale& clock);

}  // namespace pairbench
