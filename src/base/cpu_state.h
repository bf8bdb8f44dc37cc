// What a CPU is going through just now, by the kernel's files.
#pragma once

#include <filesystem>
#include <optional>

namespace pairbench {

// Time that the hypervisor has taken from the CPU since boot, in the kernel's ticks of usually
// 10 ms (/proc/stat, column steal; proc(5)). nullopt where the kernel does not say.
std::optional<double> steal_ns(int cpu, const std::filesystem::path& root = "/");

// The clock that cpufreq reports now. nullopt where there is no cpufreq, as in most guests.
std::optional<double> frequency_mhz(int cpu, const std::filesystem::path& root = "/");

}  // namespace pairbench
