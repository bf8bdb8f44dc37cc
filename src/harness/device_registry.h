// From what -t names to an opened device, whatever its transport.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "harness/case_runner.h"
#include "plan/transport_spec.h"

namespace pairbench {

// Opens the device that this end of the pair is to use. `local_ip` is this host's address of the
// control connection, for the choice of an interface. Throws Error(no_device, device).
std::unique_ptr<TransportDevice> open_device(const TransportSpec& spec, Role role,
                                             const std::optional<std::string>& local_ip);

// What stands in its place where tests bring devices of their own.
using DeviceOpener = std::function<std::unique_ptr<TransportDevice>(
    const TransportSpec& spec, Role role, const std::optional<std::string>& local_ip)>;

// One per transport, each in the file that includes the transport's headers.
std::unique_ptr<TransportDevice> open_inproc_device();
std::unique_ptr<TransportDevice> open_libfabric_device(const TransportSpec& spec, Role role,
                                                       const std::optional<std::string>& local_ip);
std::unique_ptr<TransportDevice> open_verbs_device(const TransportSpec& spec, Role role,
                                                   const std::optional<std::string>& local_ip);

}  // namespace pairbench
