#include "base/nic_counters.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/system_files.h"

namespace pairbench {
namespace {

namespace fs = std::filesystem;

// Parts of the names under which drivers count trouble (mlx5, rxe, efa, hns, irdma; net
// statistics).
constexpr std::array<std::string_view, 14> kTrouble = {
    "retrans", "retry", "timeout", "rnr", "seq", "duplicate", "err",
    "discard", "drop",  "wait",    "nak", "cnp", "ecn",       "missed"};

bool is_trouble(std::string_view name) {
  return std::any_of(kTrouble.begin(), kTrouble.end(), [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    paths.push_back(entry->path());
  return paths;
}

void add_number(NicCounters& counters, const std::string& name, const fs::path& file) {
  const auto line = read_line(file);
  std::uint64_t value = 0;
  if (line && std::istringstream(*line) >> value) counters[name] += value;
}

void add_folder(NicCounters& counters, const fs::path& folder) {
  for (const fs::path& file : entries(folder))
    if (is_trouble(file.filename().string())) add_number(counters, file.filename(), file);
}

// The value under `name` in the two lines "Tcp: names" and "Tcp: values" (proc_pid_net(5)).
std::optional<std::uint64_t> tcp_counter(const std::string& snmp, const std::string& name) {
  std::istringstream lines(snmp);
  std::string names;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("Tcp:")) continue;
    if (names.empty()) {
      names = line;
      continue;
    }
    std::istringstream columns(names);
    std::istringstream values(line);
    for (std::string column, value; columns >> column && values >> value;)
      if (column == name) return std::stoull(value);
  }
  return std::nullopt;
}

}  // namespace

std::optional<NicCounters> read_nic_counters(const std::string& device, const fs::path& root) {
  // A name that leads elsewhere is none.
  if (device.empty() || device.find('/') != std::string::npos) return std::nullopt;
  NicCounters counters;
  std::error_code error;
  const fs::path rdma = root / "sys/class/infiniband" / device;
  if (fs::is_directory(rdma, error)) {
    add_folder(counters, rdma / "hw_counters");
    for (const fs::path& port : entries(rdma / "ports"))
      for (const char* kind : {"hw_counters", "counters"}) add_folder(counters, port / kind);
    return counters;
  }
  const fs::path net = root / "sys/class/net" / device;
  if (!fs::is_directory(net, error)) return std::nullopt;
  add_folder(counters, net / "statistics");
  if (const auto snmp = read_text(root / "proc/net/snmp"))
    if (const auto segments = tcp_counter(*snmp, "RetransSegs"))
      counters["tcp_retransmitted_segments"] = *segments;
  return counters;
}

NicCounters risen(const NicCounters& before, const NicCounters& after) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 53;  // more is a driver's way to say -1
  NicCounters rise;
  for (const auto& [name, value] : after) {
    const auto found = before.find(name);
    if (found != before.end() && value > found->second && value - found->second <= kMost)
      rise[name] = value - found->second;
  }
  return rise;
}

}  // namespace pairbench
