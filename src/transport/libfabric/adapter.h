// What sysfs and the provider tell of the adapter below a domain. Unreadable is nullopt, never a
// guess.
#pragma once

#include <rdma/fabric.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace pairbench::libfabric {

struct AdapterFacts {
  std::optional<std::string> name;  // rdmap79s0, rxe0, eth0
  std::optional<std::uint64_t> link_bits_per_second;
  std::optional<std::uint64_t> mtu_bytes;
  std::optional<int> numa_node;
  std::string state;      // up, down; empty where unknown
  bool physical = false;  // a device stands behind it (lo, veth, rxe: none)
};

// For a domain that rides on an RDMA device (fi_info::nic) or on a network interface of the
// domain's name.
AdapterFacts read_adapter(const fi_info& info, const std::filesystem::path& sysfs = "/sys");

}  // namespace pairbench::libfabric
