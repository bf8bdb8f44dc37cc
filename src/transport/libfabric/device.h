// A libfabric fabric and domain, opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "transport/capabilities.h"
#include "transport/libfabric/endpoint.h"
#include "transport/libfabric/handles.h"
#include "transport/libfabric/selection.h"
#include "transport/probe.h"
#include "transport/region.h"

namespace pairbench::libfabric {

// Memory that the domain knows; unregistered where the provider does not ask for it (no FI_MR_LOCAL
// in mr_mode). Must not outlive the device; the memory must outlive the region.
class Region {
 public:
  Region(std::span<std::byte> bytes, MemoryHandle memory)
      : bytes_(bytes), memory_(std::move(memory)) {}

  LocalSlice local() const {
    void* descriptor = memory_ ? fi_mr_desc(memory_.get()) : nullptr;
    return {bytes_.data(), bytes_.size(), reinterpret_cast<std::uint64_t>(descriptor)};
  }

 private:
  std::span<std::byte> bytes_;
  MemoryHandle memory_;
};

// A device, its regions and its endpoint belong to one thread. Devices are independent of each
// other.
class Device {
 public:
  // Throws Error(no_device, device) that says what was asked and what there is. With
  // `context_slots` every operation gets memory of its own as context, even where the provider does
  // not ask for it.
  explicit Device(const Request& request, bool context_slots = false);
  Device(Device&&) = default;
  Device& operator=(Device&&) = delete;  // would close the fabric before its domain

  const Capabilities& capabilities() const noexcept { return capabilities_; }

  // Throws Error(failed, open) with the bytes and the limit on locked memory.
  Region register_memory(std::span<std::byte> bytes);

  Endpoint make_endpoint(const EndpointOptions& options) const;

  // Whether a message reaches the endpoint at `peer`, or why not; takes a second at most. Providers
  // efa and efa-direct repeat for ever what finds the receiver not ready, unless an endpoint asks
  // for the error: one that is made for this alone does, and stays open. Over efa-direct the
  // message takes a receive of the peer's. Other providers are not asked. Owner: as the endpoint.
  // For a run that is about to end.
  Probe probe(const AddressBlob& peer) const;

 private:
  bool diverts_to_shared_memory() const;

  InfoHandle info_;
  Capabilities capabilities_;
  bool use_slots_;
  std::uint64_t next_key_ = 1;  // for domains that leave the choice of keys to us
  FabricHandle fabric_;
  DomainHandle domain_;
};

}  // namespace pairbench::libfabric
