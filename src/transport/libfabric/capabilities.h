// What a libfabric device can do, from what libfabric and sysfs say of it.
#pragma once

#include "transport/capabilities.h"
#include "transport/libfabric/adapter.h"
#include "transport/libfabric/handles.h"

namespace pairbench::libfabric {

// Pure. `info` as fi_getinfo returned it.
Capabilities capabilities_of(const fi_info& info, const AdapterFacts& adapter);

// libfabric:tcp+ofi_rxm/eth0, libfabric:efa-direct/rdmap79s0-rdm
std::string transport_text(const fi_info& info);

// The name for -t, with libfabric's ';'.
std::string provider_name_of(const fi_info& info);

}  // namespace pairbench::libfabric
