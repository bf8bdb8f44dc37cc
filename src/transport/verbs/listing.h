// Every port of every RDMA device, usable for RC or not and why.
#pragma once

#include <vector>

#include "transport/device_listing.h"

namespace pairbench::verbs {

std::vector<DeviceRow> list_devices();

}  // namespace pairbench::verbs
