#include "harness/device_registry.h"
#include "harness/runner_of.h"
#include "transport/verbs/device.h"

namespace pairbench {

std::unique_ptr<TransportDevice> open_verbs_device(const TransportSpec& spec, Role role,
                                                   const std::optional<std::string>& local_ip) {
  const std::string& device = role == Role::initiator ? spec.device : spec.peer_device;
  return std::make_unique<DeviceOf<verbs::Device>>(
      verbs::Device({device, spec.port, spec.gid_index, local_ip}));
}

}  // namespace pairbench
