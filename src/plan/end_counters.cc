#include "plan/end_counters.h"

#include <cmath>
#include <string>

#include "plan/json.h"
#include "plan/json_fields.h"

namespace pairbench {

namespace {

using Json = nlohmann::ordered_json;

// More is no count that anything has counted, and no time that anything has taken (in ns: some 292
// years).
constexpr std::uint64_t kBeyondCounts = std::uint64_t{1} << 63;

void require_count(const std::string& name, std::uint64_t count) {
  if (count >= kBeyondCounts) throw FormatError(name, "a count below 2^63 is needed");
}

void require_countable(const EndCounters& counters) {
  require_count("messages_sent", counters.messages_sent);
  require_count("messages_received", counters.messages_received);
  require_count("bytes_sent", counters.bytes_sent);
  require_count("bytes_received", counters.bytes_received);
  require_count("busy_posts", counters.busy_posts);
  if (counters.cpu && *counters.cpu < 0) throw FormatError("cpu", "the number of a CPU is needed");
  require_count("involuntary_context_switches", counters.involuntary_context_switches.value_or(0));
  require_count("minor_page_faults", counters.minor_page_faults.value_or(0));
  require_count("major_page_faults", counters.major_page_faults.value_or(0));
  // Hypervisors have been seen to take back some of it.
  if (std::abs(counters.steal_ns.value_or(0)) >= static_cast<double>(kBeyondCounts))
    throw FormatError("steal_ns", "a time below 2^63 ns is needed");
  if (counters.frequency_ratio.value_or(0) < 0)
    throw FormatError("frequency_ratio", "a positive number is needed");
  if (!counters.nic) return;
  for (const auto& [name, count] : *counters.nic) require_count("nic." + name, count);
}

}  // namespace

void to_json(Json& json, const EndCounters& counters) {
  json = {{"messages_sent", counters.messages_sent},
          {"messages_received", counters.messages_received},
          {"bytes_sent", counters.bytes_sent},
          {"bytes_received", counters.bytes_received},
          {"busy_posts", counters.busy_posts},
          {"cpu", counters.cpu},
          {"involuntary_context_switches", counters.involuntary_context_switches},
          {"minor_page_faults", counters.minor_page_faults},
          {"major_page_faults", counters.major_page_faults},
          {"steal_ns", counters.steal_ns},
          {"frequency_ratio", counters.frequency_ratio},
          {"nic", counters.nic}};
}

void from_json(const Json& json, EndCounters& counters) {
  read_field(json, "messages_sent", counters.messages_sent);
  read_field(json, "messages_received", counters.messages_received);
  read_field(json, "bytes_sent", counters.bytes_sent);
  read_field(json, "bytes_received", counters.bytes_received);
  read_field(json, "busy_posts", counters.busy_posts);
  read_field(json, "cpu", counters.cpu);
  read_field(json, "involuntary_context_switches", counters.involuntary_context_switches);
  read_field(json, "minor_page_faults", counters.minor_page_faults);
  read_field(json, "major_page_faults", counters.major_page_faults);
  read_field(json, "steal_ns", counters.steal_ns);
  read_field(json, "frequency_ratio", counters.frequency_ratio);
  read_field(json, "nic", counters.nic);
  require_countable(counters);
}

}  // namespace pairbench
