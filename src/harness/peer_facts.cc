#include "harness/peer_facts.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "base/cpu.h"

namespace pairbench {
namespace {

// Nanoseconds of 31 years.
constexpr double kMostMeasured = 1e18;
// What every reader of JSON takes exactly. At a thousand million a second it takes 104 days.
constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 53;

// One message's facts.
class Facts {
 public:
  explicit Facts(Phase phase) : phase_(phase) {}

  void require(bool possible, const std::string& what) const {
    if (!possible) throw ProtocolError(phase_, "the peer reports what cannot be", shortened(what));
  }
  void measured(const char* name, std::optional<double> value) const {
    const bool possible = !value || (*value >= 0 && *value <= kMostMeasured);
    require(possible, fmt::format("{}: {}", name, value.value_or(0)));
  }
  void counted(const std::string& name, std::optional<std::uint64_t> value) const {
    require(!value || *value <= kMostCounted, fmt::format("{}: {}", name, value.value_or(0)));
  }
  void cpus(const char* name, const std::string& list) const {
    try {
      parse_cpu_list(list);
    } catch (const Error&) {
      require(false, fmt::format("{}: {}", name, list));
    }
  }

 private:
  Phase phase_;
};

}  // namespace

void require_possible(const wire::HelloReply& reply) {
  const Facts facts(Phase::hello);
  facts.measured("ns_per_tick", reply.clock.ns_per_tick);
  facts.measured("quantum_ns", reply.clock.quantum_ns);
  facts.measured("read_cost_ns", reply.clock.read_cost_ns);
  facts.measured("uncertainty_ppm", reply.clock.uncertainty_ppm);
  if (reply.host.cpus_allowed) facts.cpus("cpus_allowed", *reply.host.cpus_allowed);
  if (!reply.host.numa_cpus) return;
  for (const auto& [node, list] : *reply.host.numa_cpus) facts.cpus("numa_cpus", list);
}

void require_possible(const std::optional<Detours>& detours) {
  if (!detours) return;
  const Facts facts(Phase::plan);
  facts.measured("spun_ns", detours->spun_ns);
  facts.measured("threshold_ns", detours->threshold_ns);
  facts.measured("longest_ns", detours->longest_ns);
  facts.measured("total_ns", detours->total_ns);
  facts.counted("count", detours->count);
}

void require_possible(const EndCounters& counters) {
  const Facts facts(Phase::results);
  facts.counted("busy_posts", counters.busy_posts);
  facts.require(counters.cpu.value_or(0) >= 0, fmt::format("cpu: {}", counters.cpu.value_or(0)));
  facts.counted("involuntary_context_switches", counters.involuntary_context_switches);
  facts.counted("minor_page_faults", counters.minor_page_faults);
  facts.counted("major_page_faults", counters.major_page_faults);
  facts.measured("steal_ns", counters.steal_ns);
  facts.measured("frequency_ratio", counters.frequency_ratio);
  if (!counters.nic) return;
  for (const auto& [name, rise] : *counters.nic) facts.counted("nic." + name, rise);
}

}  // namespace pairbench
