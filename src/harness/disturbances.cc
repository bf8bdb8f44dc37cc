#include "harness/disturbances.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>

#include "base/cpu_state.h"

namespace pairbench {
namespace {

void add(std::optional<std::uint64_t>& sum, std::optional<std::uint64_t> before,
         std::optional<std::uint64_t> after) {
  if (before && after) sum = sum.value_or(0) + (*after - *before);
}

std::optional<int> current_cpu() {
  const int cpu = sched_getcpu();
  return cpu >= 0 ? std::optional(cpu) : std::nullopt;
}

}  // namespace

ThreadUsage ThreadUsage::now() {
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return {};
  return {static_cast<std::uint64_t>(usage.ru_nivcsw), static_cast<std::uint64_t>(usage.ru_minflt),
          static_cast<std::uint64_t>(usage.ru_majflt)};
}

void add_usage(EndCounters& counters, const ThreadUsage& before, const ThreadUsage& after) {
  add(counters.involuntary_context_switches, before.involuntary_context_switches,
      after.involuntary_context_switches);
  add(counters.minor_page_faults, before.minor_page_faults, after.minor_page_faults);
  add(counters.major_page_faults, before.major_page_faults, after.major_page_faults);
}

MachineState MachineState::now(const std::string& nic) {
  MachineState state;
  state.cpu = current_cpu();
  if (state.cpu) {
    state.steal_ns = pairbench::steal_ns(*state.cpu);
    state.frequency_mhz = pairbench::frequency_mhz(*state.cpu);
  }
  state.nic = read_nic_counters(nic);
  return state;
}

void add_changes(EndCounters& counters, const MachineState& before, const MachineState& after) {
  counters.cpu = after.cpu;
  if (before.cpu == after.cpu) {
    // Some kernels' account runs backwards when the machine moves to another host.
    if (before.steal_ns && after.steal_ns)
      counters.steal_ns = std::max(0.0, *after.steal_ns - *before.steal_ns);
    if (before.frequency_mhz && after.frequency_mhz && *before.frequency_mhz > 0)
      counters.frequency_ratio = *after.frequency_mhz / *before.frequency_mhz;
  }
  if (before.nic && after.nic) counters.nic = risen(*before.nic, *after.nic);
}

std::string adapter_of(const Capabilities& capabilities) {
  return capabilities.nic.value_or(capabilities.domain);
}

std::optional<Detours> look_for_detours(const Plan& plan, const ClockScale& clock) {
  constexpr double kThresholdNs = 1000;
  if (plan.detour_spin.count() <= 0) return std::nullopt;
  const auto ticks = [&](double ns) { return static_cast<Ticks>(ns / clock.ns_per_tick); };
  const Ticks spin = ticks(static_cast<double>(plan.detour_spin.count()));
  return clock.source == ClockSource::tsc
             ? find_detours(TscClock{}, clock, spin, ticks(kThresholdNs))
             : find_detours(RawClock{}, clock, spin, ticks(kThresholdNs));
}

}  // namespace pairbench
