// What can be measured on this host, over all transports.
#pragma once

#include <vector>

#include "transport/device_listing.h"

namespace pairbench {

// Usable devices first. Opens nothing.
std::vector<DeviceRow> list_devices();

}  // namespace pairbench
