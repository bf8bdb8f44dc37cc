#include "harness/device_registry.h"
#include "harness/runner_of.h"
#include "transport/inproc/device.h"

namespace pairbench {

std::unique_ptr<TransportDevice> open_inproc_device() {
  return std::make_unique<DeviceOf<inproc::Device>>(inproc::Device{});
}

}  // namespace pairbench
