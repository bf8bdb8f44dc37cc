// What an opened (or openable) device can do: data beside the operations, limits included. Filled
// once by a pure function over what the device reports; read only by make_plan and the result
// document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace pairbench {

// What a send completion proves.
enum class SendCompletion {
  reusable,  // the buffer may be used again
  transmit,  // the peer's adapter has the message
  delivery,  // the peer's software can see it
};

std::string_view to_string(SendCompletion completion);

// Choices about the path of a connection that RC queue pairs alone offer. Unset: the device's own.
struct PathOptions {
  std::optional<int> mtu_bytes;  // 256, 512, 1024, 2048 or 4096
  std::optional<int> service_level;
  std::optional<int> traffic_class;

  bool operator==(const PathOptions&) const = default;
};

struct Capabilities {
  std::string
      opened;  // the transport as it was opened, in the grammar of -t: libfabric:tcp+ofi_rxm/eth0
  std::string provider;  // tcp;ofi_rxm; "inproc"; "verbs"
  std::string fabric;
  std::string domain;
  std::optional<std::string> nic;
  std::optional<int> numa_node;  // of the NIC
  std::optional<std::uint64_t> link_bits_per_second;
  std::optional<std::uint64_t> mtu_bytes;

  std::uint64_t max_message_size = UINT64_MAX;
  std::size_t max_tx_depth = 0;
  std::size_t max_rx_depth = 0;
  std::size_t max_inline = 0;
  bool completions_ordered = false;  // a signalled completion proves earlier unsignalled sends done
  bool immediate = true;             // 4 bytes beside the payload
  bool event_wait = false;           // the completion queue offers an object to block on
  bool same_host_only = false;
  bool software = true;  // no adapter does the work
  SendCompletion send_completion = SendCompletion::transmit;

  // Further facts worth keeping, by the vendor's names: "mr_mode": "FI_MR_LOCAL|…", "threading": ….
  std::map<std::string, std::string> details;
};

}  // namespace pairbench
