// Opens the in-process transport. There is nothing to open, so this is plain data.
#pragma once

#include <span>

#include "transport/capabilities.h"
#include "transport/inproc/endpoint.h"
#include "transport/region.h"

namespace pairbench::inproc {

class Region {
 public:
  explicit Region(std::span<std::byte> bytes) : bytes_(bytes) {}
  LocalSlice local() const { return {bytes_.data(), bytes_.size(), 0}; }

 private:
  std::span<std::byte> bytes_;
};

class Device {
 public:
  static Capabilities capabilities();
  static Region register_memory(std::span<std::byte> bytes) { return Region(bytes); }
  static Endpoint make_endpoint(const EndpointOptions& options) { return Endpoint(options); }
};

}  // namespace pairbench::inproc
