#include "base/cpu.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "base/system_files.h"
#include "base/units.h"

namespace pairbench {
namespace {

// More than any kernel is built for (NR_CPUS is at most 8192).
constexpr int kMaxCpus = 1 << 14;

// A mask for kMaxCpus, which cpu_set_t (1024) is too small for.
class CpuMask {
 public:
  CpuMask() : set_(CPU_ALLOC(kMaxCpus)) { CPU_ZERO_S(size(), set_.get()); }

  cpu_set_t* get() const { return set_.get(); }
  static std::size_t size() { return CPU_ALLOC_SIZE(kMaxCpus); }
  void add(int cpu) { CPU_SET_S(static_cast<std::size_t>(cpu), size(), set_.get()); }
  bool contains(int cpu) const {
    return CPU_ISSET_S(static_cast<std::size_t>(cpu), size(), set_.get()) != 0;
  }

 private:
  struct Free {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
  };
  std::unique_ptr<cpu_set_t, Free> set_;
};

[[noreturn]] void throw_affinity(const std::string& what) {
  throw Error(ExitStatus::failed, Phase::open, what, std::strerror(errno));
}

void add_range(const std::string& text, std::string_view item, std::vector<bool>& listed) {
  const std::size_t dash = item.find('-');
  const auto number = [](std::string_view digits) {
    return static_cast<int>(parse_count(digits, 0, kMaxCpus - 1));
  };
  const int first = number(item.substr(0, dash));
  const int last = dash == std::string_view::npos ? first : number(item.substr(dash + 1));
  if (last < first) throw_usage(fmt::format("'{}' is not a list of CPUs", text));
  std::fill(listed.begin() + first, listed.begin() + last + 1, true);
}

std::optional<std::vector<int>> read_cpu_list(const std::filesystem::path& path) {
  const std::optional<std::string> line = read_line(path);
  if (!line) return std::nullopt;
  try {
    return parse_cpu_list(*line);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<int> allowed_cpus() {
  CpuMask mask;
  if (sched_getaffinity(0, CpuMask::size(), mask.get()) != 0) {
    throw_affinity("cannot read the CPU affinity");
  }
  std::vector<int> cpus;
  for (int cpu = 0; cpu < kMaxCpus; ++cpu) {
    if (mask.contains(cpu)) cpus.push_back(cpu);
  }
  return cpus;
}

void require_allowed_cpu(int cpu) {
  const std::vector<int> allowed = allowed_cpus();
  if (std::binary_search(allowed.begin(), allowed.end(), cpu)) return;
  throw Error(
      ExitStatus::usage, Phase::usage,
      fmt::format("CPU {} is not among the CPUs this process may use: {}", cpu,
                  format_cpu_list(allowed)),
      "this host has no such CPU online, or an affinity mask or a cpuset keeps the process off it",
      "name another with --cpu A[,B], or start pairbench with more CPUs: taskset, or the "
      "container's cpuset");
}

void pin_to_cpu(int cpu) {
  require_allowed_cpu(cpu);
  set_allowed_cpus({cpu});
}

void set_allowed_cpus(const std::vector<int>& cpus) {
  CpuMask mask;
  for (const int cpu : cpus) mask.add(cpu);
  if (sched_setaffinity(0, CpuMask::size(), mask.get()) != 0) {
    throw_affinity(fmt::format("cannot set the CPU affinity to {}", format_cpu_list(cpus)));
  }
}

std::string format_cpu_list(const std::vector<int>& cpus) {
  std::string out;
  for (std::size_t first = 0; first < cpus.size();) {
    std::size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!out.empty()) out += ',';
    out += last == first ? fmt::format("{}", cpus[first])
                         : fmt::format("{}-{}", cpus[first], cpus[last]);
    first = last + 1;
  }
  return out;
}

std::vector<int> parse_cpu_list(const std::string& text) {
  std::vector<bool> listed(kMaxCpus);
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    add_range(text, rest.substr(0, comma), listed);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  std::vector<int> cpus;
  for (int cpu = 0; cpu < kMaxCpus; ++cpu)
    if (listed[static_cast<std::size_t>(cpu)]) cpus.push_back(cpu);
  return cpus;
}

std::vector<int> cpus_of_numa_node(int node) {
  if (node < 0) return {};
  return read_cpu_list(fmt::format("/sys/devices/system/node/node{}/cpulist", node))
      .value_or(std::vector<int>{});
}

std::optional<int> numa_node_of_cpu(int cpu) {
  // The list of nodes has the form of a list of CPUs.
  const auto nodes = read_cpu_list("/sys/devices/system/node/online");
  if (!nodes) return std::nullopt;
  for (const int node : *nodes) {
    const std::vector<int> cpus = cpus_of_numa_node(node);
    if (std::binary_search(cpus.begin(), cpus.end(), cpu)) return node;
  }
  return std::nullopt;
}

}  // namespace pairbench
