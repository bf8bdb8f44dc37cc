// Every libfabric domain of this host, for `pairbench devices`.
#pragma once

#include <filesystem>
#include <vector>

#include "transport/device_listing.h"

namespace pairbench::libfabric {

// Usable domains in the library's own order, then what is not usable and why. Opens nothing. Throws
// Error(no_device, device) when libfabric cannot be asked at all.
std::vector<DeviceRow> list_devices(const std::filesystem::path& sysfs = "/sys");

}  // namespace pairbench::libfabric
