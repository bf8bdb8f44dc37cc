// What a libfabric device can do, from what libfabric and sysfs say of it.
#pragma once

#include <cstddef>

#include "transport/capabilities.h"
#include "transport/libfabric/adapter.h"
#include "transport/libfabric/handles.h"

namespace pairbench::libfabric {

// How often efa-direct's device repeats a send that finds the receiver not ready, before it is an
// error; the device's own choice, 7, is for ever. Provider efa repeats by itself, for ever too: see
// Device::probe.
inline constexpr std::size_t kRnrRetry = 6;

// Pure. `info` as fi_getinfo returned it.
Capabilities capabilities_of(const fi_info& info, const AdapterFacts& adapter);

// libfabric:tcp+ofi_rxm/eth0, libfabric:efa-direct/rdmap79s0-rdm
std::string transport_text(const fi_info& info);

// The name for -t, with libfabric's ';'.
std::string provider_name_of(const fi_info& info);

}  // namespace pairbench::libfabric
