#include "harness/device_registry.h"
#include "harness/runner_of.h"
#include "transport/libfabric/device.h"

namespace pairbench {

std::unique_ptr<TransportDevice> open_libfabric_device(const TransportSpec& spec, Role role,
                                                       const std::optional<std::string>& local_ip) {
  const std::string& domain = role == Role::initiator ? spec.device : spec.peer_device;
  return std::make_unique<DeviceOf<libfabric::Device>>(
      libfabric::Device({.provider = spec.provider, .domain = domain, .local_ip = local_ip}));
}

}  // namespace pairbench
