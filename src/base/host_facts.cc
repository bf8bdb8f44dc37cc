#include "base/host_facts.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <limits>
#include <string_view>
#include <system_error>

#include "base/cpu.h"
#include "base/error.h"
#include "base/system_files.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace pairbench {
namespace {

namespace fs = std::filesystem;

constexpr char kBootIdEnd = '/';  // between the boot id and the network namespace

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return {};
  return name.data();
}

std::string boot_id(const fs::path& root) {
  const auto id = read_line(root / "proc/sys/kernel/random/boot_id");
  std::error_code error;
  const fs::path network = fs::read_symlink(root / "proc/self/ns/net", error);
  if (!id || error) return id.value_or("");
  return *id + kBootIdEnd + network.string();
}

std::optional<std::string> field_of(const fs::path& file, std::string_view key, char separator) {
  const auto text = read_text(file);
  return text ? find_field(*text, key, separator) : std::nullopt;
}

// A file that holds nothing but 0 or 1.
std::optional<bool> read_flag(const fs::path& file) {
  const auto line = read_line(file);
  if (line == "0") return false;
  if (line == "1") return true;
  return std::nullopt;
}

// The list of nodes has the form of a list of CPUs.
std::optional<std::map<std::string, std::string>> numa_cpus(const fs::path& nodes) {
  const auto online = read_line(nodes / "online");
  if (!online) return std::nullopt;
  std::map<std::string, std::string> cpus;
  try {
    for (const int node : parse_cpu_list(*online))
      if (const auto list = read_line(nodes / fmt::format("node{}", node) / "cpulist");
          list && !list->empty())  // a node may have memory alone
        cpus.emplace(std::to_string(node), *list);
  } catch (const Error&) {
    return std::nullopt;
  }
  return cpus;
}

// Arm's kernels name no model, only the part's number.
std::optional<std::string> cpu_model(const fs::path& cpuinfo) {
  if (auto model = field_of(cpuinfo, "model name", ':')) return model;
  const auto implementer = field_of(cpuinfo, "CPU implementer", ':');
  const auto part = field_of(cpuinfo, "CPU part", ':');
  if (!implementer || !part) return std::nullopt;
  return fmt::format("implementer {} part {}", *implementer, *part);
}

std::optional<bool> turbo(const fs::path& cpus) {
  if (const auto off = read_flag(cpus / "intel_pstate/no_turbo")) return !*off;
  return read_flag(cpus / "cpufreq/boost");
}

std::optional<std::string> hypervisor(const fs::path& root) {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kHypervisorPresent = 1u << 31;  // leaf 1, ECX: reserved for hypervisors to set
  if (__get_cpuid(1, &a, &b, &c, &d) != 0) {
    if ((c & kHypervisorPresent) == 0) return "none";
    __cpuid(0x40000000, a, b, c, d);
    const std::array<unsigned, 3> words = {b, c, d};
    std::array<char, sizeof words> name{};
    std::memcpy(name.data(), words.data(), sizeof words);
    const std::string_view text = trimmed({name.data(), name.size()});
    if (!text.empty()) return std::string(text);
  }
#endif
  return read_line(root / "sys/hypervisor/type");
}

std::optional<std::uint64_t> memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long size = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || size <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size);
}

std::optional<std::uint64_t> soft_limit(decltype(RLIMIT_MEMLOCK) resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return std::nullopt;
  if (limit.rlim_cur == RLIM_INFINITY) return std::numeric_limits<std::uint64_t>::max();
  return limit.rlim_cur;
}

std::optional<std::string> cpus_allowed() {
  try {
    return format_cpu_list(allowed_cpus());
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<int> cpus_online() {
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? std::optional<int>(static_cast<int>(count)) : std::nullopt;
}

std::map<std::string, std::string> listed_environment() {
  constexpr std::array<std::string_view, 4> kPrefixes = {"FI_", "IBV_", "RDMAV_", "MLX5_"};
  std::map<std::string, std::string> out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    for (const std::string_view prefix : kPrefixes) {
      if (text.starts_with(prefix)) out.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return out;
}

void read_system(HostFacts& facts, const fs::path& root) {
  facts.hostname = host_name();
  facts.boot_id = boot_id(root);
  utsname names{};
  if (uname(&names) == 0) {
    facts.kernel = fmt::format("{} {}", names.release, names.version);
    facts.architecture = names.machine;
  }
  facts.distribution = field_of(root / "etc/os-release", "PRETTY_NAME", '=');
  facts.hypervisor = hypervisor(root);
  facts.memory_bytes = memory_bytes();
  facts.memlock_limit_bytes = soft_limit(RLIMIT_MEMLOCK);
  facts.open_files_limit = soft_limit(RLIMIT_NOFILE);
}

void read_cpus(HostFacts& facts, const fs::path& root) {
  const fs::path system = root / "sys/devices/system";
  facts.cpu_model = cpu_model(root / "proc/cpuinfo");
  facts.microcode = field_of(root / "proc/cpuinfo", "microcode", ':');
  facts.cpus_online = cpus_online();
  facts.cpus_allowed = cpus_allowed();
  facts.numa_cpus = numa_cpus(system / "node");
  facts.smt_active = read_flag(system / "cpu/smt/active");
  facts.governor = read_line(system / "cpu/cpu0/cpufreq/scaling_governor");
  facts.turbo = turbo(system / "cpu");
  facts.clocksource = read_line(system / "clocksource/clocksource0/current_clocksource");
}

std::string_view boot_of(const HostFacts& facts) {
  return std::string_view(facts.boot_id).substr(0, facts.boot_id.find(kBootIdEnd));
}

}  // namespace

HostFacts read_host_facts(const fs::path& root) {
  HostFacts facts;
  read_system(facts, root);
  read_cpus(facts, root);
  facts.environment = listed_environment();
  return facts;
}

bool same_host(const HostFacts& a, const HostFacts& b) {
  return !boot_of(a).empty() && boot_of(a) == boot_of(b);
}

}  // namespace pairbench
