#include "transport/verbs/capabilities.h"

#include <fmt/format.h>

namespace pairbench::verbs {
namespace {

std::map<std::string, std::string> details_of(const Choice& choice) {
  const PortFacts& port = choice.port;
  std::map<std::string, std::string> details = {
      {"link_layer", port.ethernet ? "Ethernet" : "InfiniBand"},
      {"firmware", port.firmware},
      {"lid", std::to_string(port.lid)},
      {"timeout", std::to_string(kTimeout)},
      {"retry_cnt", std::to_string(kRetryCount)},
      {"rnr_retry", std::to_string(kRnrRetry)},
      {"min_rnr_timer", std::to_string(kMinRnrTimer)}};
  if (choice.gid) {
    details["gid"] = choice.gid->text();
    details["gid_index"] = std::to_string(choice.gid->index);
    details["gid_type"] = to_string(choice.gid->type);
  }
  return details;
}

}  // namespace

Capabilities capabilities_of(const Choice& choice) {
  const PortFacts& port = choice.port;
  Capabilities c;
  c.opened = fmt::format("verbs:{}/{}", port.device, port.port);
  if (choice.gid) c.opened += fmt::format("/{}", choice.gid->index);
  c.provider = "verbs";
  c.domain = port.device;
  c.nic = port.device;
  c.numa_node = port.numa_node;
  c.link_bits_per_second = port.link_bits_per_second;
  c.mtu_bytes = static_cast<std::uint64_t>(port.active_mtu_bytes);
  c.max_message_size = port.max_message_size;
  c.max_tx_depth = port.max_work_requests;
  c.max_rx_depth = port.max_work_requests;
  c.max_inline = port.max_inline;
  c.completions_ordered = true;
  c.immediate = true;
  c.event_wait = true;
  c.same_host_only = false;
  c.software = port.software;
  c.send_completion = SendCompletion::transmit;
  c.details = details_of(choice);
  return c;
}

}  // namespace pairbench::verbs
