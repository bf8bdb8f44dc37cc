#include "plan/end_counters.h"

#include "plan/json.h"
#include "plan/json_fields.h"

namespace pairbench {

using Json = nlohmann::ordered_json;

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
}

}  // namespace pairbench
