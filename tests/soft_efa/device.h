// The devices of this host and what they say of themselves.
#pragma once

#include <infiniband/efadv.h>
#include <infiniband/verbs.h>

#include <cstdint>
#include <span>

namespace pairbench::soft_efa {

inline constexpr int kMaxQueuePairs = 1024;  // numbers are masked by it: a power of two
inline constexpr int kMaxRegions = 1 << 16;
inline constexpr int kMaxAddressHandles = 1024;
inline constexpr unsigned kMaxPieces = 2;  // of a send
inline constexpr std::uint8_t kPort = 1;   // the only one

struct Device : ibv_device {
  int index;
  ibv_gid gid;  // made of the host's name and the index

  static Device& of(ibv_device* device) { return *static_cast<Device*>(device); }
  static Device& of(const ibv_context* context) { return of(context->device); }
};

// Made at the first call. Throws std::invalid_argument when the environment is wrong.
std::span<Device> devices();

// The counterparts of ibv_query_device and so on.
ibv_device_attr device_attributes(const Device& device);
ibv_port_attr port_attributes();
efadv_device_attr efa_attributes();

// Points SYSFS_PATH at the tree beside this library, in which libfabric looks for the bus address
// of every device; unless it is set already.
void provide_sysfs();

}  // namespace pairbench::soft_efa
