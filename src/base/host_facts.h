// What this host is, as far as it bears on a measurement. Unreadable is nullopt, never a guess.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace pairbench {

struct HostFacts {
  std::string hostname;
  std::string boot_id;  // /proc/sys/kernel/random/boot_id + network namespace: equal means one host
  std::string kernel;   // release and version, as uname gives them
  std::string architecture;
  std::optional<std::string> distribution;  // PRETTY_NAME of os-release
  std::optional<std::string> cpu_model;
  std::optional<std::string> microcode;
  std::optional<int> cpus_online;
  std::optional<std::string> cpus_allowed;                      // list form
  std::optional<std::map<std::string, std::string>> numa_cpus;  // by node, in list form
  std::optional<bool> smt_active;
  std::optional<std::string> governor;  // of CPU 0
  std::optional<bool> turbo;
  std::optional<std::string> clocksource;
  std::optional<std::string> hypervisor;  // from CPUID / DMI, "none" on bare metal
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::uint64_t> memlock_limit_bytes;  // soft limit; max value means unlimited
  std::optional<std::uint64_t> open_files_limit;
  // Set variables of the allow-list FI_*, IBV_*, RDMAV_*, MLX5_*, never the whole environment.
  std::map<std::string, std::string> environment;
  // "pairbench": "0.1.0 (git …)", "libfabric": "1.17 (built 1.17)", …; filled by those who know.
  std::map<std::string, std::string> versions;
};

// Files are looked for below `root`.
HostFacts read_host_facts(const std::filesystem::path& root = "/");

// True where both describe one machine (same boot), whatever their network namespaces. Unknown
// boots differ.
bool same_host(const HostFacts& a, const HostFacts& b);

}  // namespace pairbench
