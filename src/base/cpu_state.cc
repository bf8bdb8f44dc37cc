#include "base/cpu_state.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <sstream>
#include <string>

#include "base/system_files.h"

namespace pairbench {
namespace {

std::optional<double> number(const std::string& text) {
  std::istringstream in(text);
  double value = 0;
  return in >> value && value >= 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<double> steal_ns(int cpu, const std::filesystem::path& root) {
  const auto text = read_text(root / "proc/stat");
  const long ticks_per_second = sysconf(_SC_CLK_TCK);
  if (!text || ticks_per_second <= 0) return std::nullopt;
  const std::string name = fmt::format("cpu{}", cpu);
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream columns(line);
    std::string first;
    std::array<double, 8> ticks{};  // user nice system idle iowait irq softirq steal
    if (!(columns >> first) || first != name) continue;
    for (double& value : ticks)
      if (!(columns >> value)) return std::nullopt;
    return ticks.back() * 1e9 / static_cast<double>(ticks_per_second);
  }
  return std::nullopt;
}

std::optional<double> frequency_mhz(int cpu, const std::filesystem::path& root) {
  constexpr double kMhzPerKhz = 1e-3;
  const auto line =
      read_line(root / fmt::format("sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq", cpu));
  const auto khz = line ? number(*line) : std::nullopt;
  return khz ? std::optional(*khz * kMhzPerKhz) : std::nullopt;
}

}  // namespace pairbench
