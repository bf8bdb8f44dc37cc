// The JSON of what hosts, clocks and devices say of themselves; plan/json.h declares it.
#include <string>

#include "base/cpu.h"
#include "plan/json.h"
#include "plan/json_fields.h"

namespace pairbench {

namespace {

using Json = nlohmann::ordered_json;

void read_amount(const Json& json, const char* name, double& amount) {
  read_field(json, name, amount);
  if (amount < 0) throw FormatError(name, "a number from 0 up is needed");
}

void require_cpu_list(const std::string& name, const std::string& list) {
  try {
    parse_cpu_list(list);
  } catch (const Error&) {
    throw FormatError(name, "a list of CPUs is needed");
  }
}

void require_sound(const HostFacts& facts) {
  if (facts.cpus_online.value_or(0) < 0)
    throw FormatError("cpus_online", "a number of CPUs is needed");
  if (facts.cpus_allowed) require_cpu_list("cpus_allowed", *facts.cpus_allowed);
  if (!facts.numa_cpus) return;
  for (const auto& [node, list] : *facts.numa_cpus) require_cpu_list("numa_cpus." + node, list);
}

}  // namespace

void to_json(Json& json, const Failure& failure) {
  json = {{"code", static_cast<int>(failure.status)},
          {"phase", failure.phase},
          {"host", failure.host},
          {"message", failure.message},
          {"cause", failure.cause},
          {"hint", failure.hint}};
}

void from_json(const Json& json, Failure& failure) {
  int code = 0;
  read_field(json, "code", code);
  constexpr int kSignals = 128;  // an interrupted run: 128 and the signal's number
  constexpr int kMostSignals = 64;
  const bool status = code > static_cast<int>(ExitStatus::done) &&
                      code <= static_cast<int>(ExitStatus::undecidable);
  if (!status && (code <= kSignals || code > kSignals + kMostSignals))
    throw FormatError("code", "the exit status of a failure is needed");
  failure.status = static_cast<ExitStatus>(code);
  read_field(json, "phase", failure.phase);
  read_field(json, "host", failure.host);
  read_field(json, "message", failure.message);
  read_field(json, "cause", failure.cause);
  read_field(json, "hint", failure.hint);
}

void to_json(Json& json, const HostFacts& facts) {
  json = {{"hostname", facts.hostname},
          {"boot_id", facts.boot_id},
          {"kernel", facts.kernel},
          {"architecture", facts.architecture},
          {"distribution", facts.distribution},
          {"cpu_model", facts.cpu_model},
          {"microcode", facts.microcode},
          {"cpus_online", facts.cpus_online},
          {"cpus_allowed", facts.cpus_allowed},
          {"numa_cpus", facts.numa_cpus},
          {"smt_active", facts.smt_active},
          {"governor", facts.governor},
          {"turbo", facts.turbo},
          {"clocksource", facts.clocksource},
          {"hypervisor", facts.hypervisor},
          {"memory_bytes", facts.memory_bytes},
          {"memlock_limit_bytes", facts.memlock_limit_bytes},
          {"open_files_limit", facts.open_files_limit},
          {"environment", facts.environment},
          {"versions", facts.versions}};
}

void from_json(const Json& json, HostFacts& facts) {
  read_field(json, "hostname", facts.hostname);
  read_field(json, "boot_id", facts.boot_id);
  read_field(json, "kernel", facts.kernel);
  read_field(json, "architecture", facts.architecture);
  read_field(json, "distribution", facts.distribution);
  read_field(json, "cpu_model", facts.cpu_model);
  read_field(json, "microcode", facts.microcode);
  read_field(json, "cpus_online", facts.cpus_online);
  read_field(json, "cpus_allowed", facts.cpus_allowed);
  read_field(json, "numa_cpus", facts.numa_cpus);
  read_field(json, "smt_active", facts.smt_active);
  read_field(json, "governor", facts.governor);
  read_field(json, "turbo", facts.turbo);
  read_field(json, "clocksource", facts.clocksource);
  read_field(json, "hypervisor", facts.hypervisor);
  read_field(json, "memory_bytes", facts.memory_bytes);
  read_field(json, "memlock_limit_bytes", facts.memlock_limit_bytes);
  read_field(json, "open_files_limit", facts.open_files_limit);
  read_field(json, "environment", facts.environment);
  read_field(json, "versions", facts.versions);
  require_sound(facts);
}

void to_json(Json& json, const ClockScale& scale) {
  json = {{"source", scale.source},
          {"ns_per_tick", scale.ns_per_tick},
          {"quantum_ns", scale.quantum_ns},
          {"read_cost_ns", scale.read_cost_ns},
          {"uncertainty_ppm", scale.uncertainty_ppm},
          {"invariant_tsc", scale.invariant_tsc},
          {"drift_ppm", scale.drift_ppm}};
}

void from_json(const Json& json, ClockScale& scale) {
  read_field(json, "source", scale.source);
  read_field(json, "ns_per_tick", scale.ns_per_tick);
  read_amount(json, "quantum_ns", scale.quantum_ns);
  read_amount(json, "read_cost_ns", scale.read_cost_ns);
  read_amount(json, "uncertainty_ppm", scale.uncertainty_ppm);
  read_field(json, "invariant_tsc", scale.invariant_tsc);
  read_field(json, "drift_ppm", scale.drift_ppm);
  if (!(scale.ns_per_tick > 0)) throw FormatError("ns_per_tick", "a positive number is needed");
}

void to_json(Json& json, const Detours& detours) {
  json = {{"spun_ns", detours.spun_ns},
          {"threshold_ns", detours.threshold_ns},
          {"count", detours.count},
          {"longest_ns", detours.longest_ns},
          {"total_ns", detours.total_ns}};
}

void from_json(const Json& json, Detours& detours) {
  read_amount(json, "spun_ns", detours.spun_ns);
  read_amount(json, "threshold_ns", detours.threshold_ns);
  read_field(json, "count", detours.count);
  read_amount(json, "longest_ns", detours.longest_ns);
  read_amount(json, "total_ns", detours.total_ns);
}

void to_json(Json& json, const PathOptions& path) {
  json = {{"mtu_bytes", path.mtu_bytes},
          {"service_level", path.service_level},
          {"traffic_class", path.traffic_class}};
}

void from_json(const Json& json, PathOptions& path) {
  read_field(json, "mtu_bytes", path.mtu_bytes);
  read_field(json, "service_level", path.service_level);
  read_field(json, "traffic_class", path.traffic_class);
}

void to_json(Json& json, const Capabilities& capabilities) {
  json = {{"opened", capabilities.opened},
          {"provider", capabilities.provider},
          {"fabric", capabilities.fabric},
          {"domain", capabilities.domain},
          {"nic", capabilities.nic},
          {"numa_node", capabilities.numa_node},
          {"link_bits_per_second", capabilities.link_bits_per_second},
          {"mtu_bytes", capabilities.mtu_bytes},
          {"max_message_size", capabilities.max_message_size},
          {"max_tx_depth", capabilities.max_tx_depth},
          {"max_rx_depth", capabilities.max_rx_depth},
          {"max_inline", capabilities.max_inline},
          {"completions_ordered", capabilities.completions_ordered},
          {"immediate", capabilities.immediate},
          {"event_wait", capabilities.event_wait},
          {"same_host_only", capabilities.same_host_only},
          {"software", capabilities.software},
          {"send_completion", capabilities.send_completion},
          {"details", capabilities.details}};
}

void from_json(const Json& json, Capabilities& capabilities) {
  read_field(json, "opened", capabilities.opened);
  read_field(json, "provider", capabilities.provider);
  read_field(json, "fabric", capabilities.fabric);
  read_field(json, "domain", capabilities.domain);
  read_field(json, "nic", capabilities.nic);
  read_field(json, "numa_node", capabilities.numa_node);
  read_field(json, "link_bits_per_second", capabilities.link_bits_per_second);
  read_field(json, "mtu_bytes", capabilities.mtu_bytes);
  read_field(json, "max_message_size", capabilities.max_message_size);
  read_field(json, "max_tx_depth", capabilities.max_tx_depth);
  read_field(json, "max_rx_depth", capabilities.max_rx_depth);
  read_field(json, "max_inline", capabilities.max_inline);
  read_field(json, "completions_ordered", capabilities.completions_ordered);
  read_field(json, "immediate", capabilities.immediate);
  read_field(json, "event_wait", capabilities.event_wait);
  read_field(json, "same_host_only", capabilities.same_host_only);
  read_field(json, "software", capabilities.software);
  read_field(json, "send_completion", capabilities.send_completion);
  read_field(json, "details", capabilities.details);
}

}  // namespace pairbench
