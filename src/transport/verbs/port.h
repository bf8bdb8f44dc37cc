// What libibverbs and sysfs say of one port of one device. Plain data.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "transport/verbs/gid.h"

namespace pairbench::verbs {

struct PortFacts {
  std::string device;  // rxe0
  int port = 1;
  bool has_rc = true;     // reliable connected queue pairs
  bool is_efa = false;    // Amazon's adapter
  bool ethernet = false;  // else InfiniBand
  bool active = false;
  std::string state;  // active, down, …
  std::uint16_t lid = 0;
  int active_mtu_bytes = 0;
  std::uint64_t max_message_size = 0;
  std::size_t max_work_requests = 0;  // of a queue pair, each way
  std::size_t max_completions = 0;    // of a completion queue
  std::size_t max_inline = 0;         // of a queue pair; known once a device is opened for use
  std::vector<Gid> gids;              // those rows that are not empty
  int gid_rows = 0;
  std::string firmware;
  std::optional<std::uint64_t> link_bits_per_second;
  std::optional<int> numa_node;
  bool software = false;
};

// Every port of an open device. Throws Error(no_device, device) where the device does not answer.
std::vector<PortFacts> read_ports(ibv_context& context,
                                  const std::filesystem::path& sysfs = "/sys");

// "100 Gb/sec (4X EDR)" as bits a second; nullopt for anything else. Pure.
std::optional<std::uint64_t> parse_rate(const std::string& text);

}  // namespace pairbench::verbs
