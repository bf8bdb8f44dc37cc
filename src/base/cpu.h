// CPUs: which this process may use, and pinning the calling thread to one.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pairbench {

// The CPUs in the calling thread's affinity mask, ascending.
std::vector<int> allowed_cpus();

// Throws a usage Error naming the CPU and the allowed ones when it is not among allowed_cpus().
void require_allowed_cpu(int cpu);

// Pins the calling thread to one CPU, which is required to be allowed.
void pin_to_cpu(int cpu);

// Restores a mask that allowed_cpus() returned.
void set_allowed_cpus(const std::vector<int>& cpus);

// "0-3,8" as the kernel writes CPU lists.
std::string format_cpu_list(const std::vector<int>& cpus);
std::vector<int> parse_cpu_list(const std::string& text);

// CPUs of one NUMA node by sysfs; empty where unknown or node is negative.
std::vector<int> cpus_of_numa_node(int node);
std::optional<int> numa_node_of_cpu(int cpu);

}  // namespace pairbench
