// What one end counted around one case of one repeat, and what the machine did to it meanwhile.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace pairbench {

// nullopt: unreadable, which is never the same as none.
struct EndCounters {
  std::uint64_t messages_sent = 0;  // data messages, warm-up included
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t busy_posts = 0;  // posts that found the queue full
  std::optional<int> cpu;        // where the measuring thread ran last
  // Of the measuring thread, within its blocks but for the warm-up.
  std::optional<std::uint64_t> involuntary_context_switches;
  std::optional<std::uint64_t> minor_page_faults;
  std::optional<std::uint64_t> major_page_faults;
  // From the case's start to its end.
  std::optional<double> steal_ns;                           // that the hypervisor took from the CPU
  std::optional<double> frequency_ratio;                    // of the CPU's clock, end to start
  std::optional<std::map<std::string, std::uint64_t>> nic;  // error counters that rose, and by what

  bool operator==(const EndCounters&) const = default;
};

void to_json(nlohmann::ordered_json& json, const EndCounters& counters);
void from_json(const nlohmann::ordered_json& json, EndCounters& counters);

}  // namespace pairbench
