// An RDMA device, opened for RC queue pairs on one of its ports.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "transport/capabilities.h"
#include "transport/region.h"
#include "transport/verbs/endpoint.h"
#include "transport/verbs/handles.h"
#include "transport/verbs/selection.h"

namespace pairbench::verbs {

// Memory that the device knows. Must not outlive the device; the memory must outlive the region.
class Region {
 public:
  Region(std::span<std::byte> bytes, MemoryHandle memory)
      : bytes_(bytes), memory_(std::move(memory)) {}

  LocalSlice local() const { return {bytes_.data(), bytes_.size(), memory_->lkey}; }

 private:
  std::span<std::byte> bytes_;
  MemoryHandle memory_;
};

// A device, its regions and its endpoint belong to one thread.
class Device {
 public:
  // Throws Error(no_device, device) that says what was asked and what there is.
  explicit Device(const Request& request);
  Device(Device&&) = default;
  Device& operator=(Device&&) = delete;  // would close the device before its domain

  const Capabilities& capabilities() const noexcept { return capabilities_; }

  // Throws Error(failed, open) with the bytes and the limit on locked memory.
  Region register_memory(std::span<std::byte> bytes);

  Endpoint make_endpoint(const EndpointOptions& options) const;

 private:
  ContextHandle context_;
  ProtectionDomainHandle domain_;
  Choice choice_;
  Capabilities capabilities_;
};

// The ports of every device that may be opened. `refused` takes the names of those that may not,
// with the reason.
std::vector<PortFacts> list_ports(std::vector<std::pair<std::string, std::string>>* refused);

}  // namespace pairbench::verbs
