// Data that do not move, explained: a device may know more than the wait that gave up.
#pragma once

#include <optional>

#include "base/error.h"
#include "transport/endpoint.h"
#include "workload/link.h"
#include "workload/waiter.h"

namespace pairbench {

// Throws `stalled` with the device's answer as its cause and hint. Without one the fault may lie in
// the other direction, where the peer is asking its device now: waits for its account, throws
// LinkInterrupted when it comes, and returns when it does not.
void explain(const Stalled& stalled, const std::optional<Failure>& answer, const Link& link);

// Runs `function`, which waits on an endpoint of `device` that sends to `peer`.
template <class Device, class Function>
auto asking_the_device(const Device& device, const AddressBlob& peer, const Link& link,
                       const Function& function) {
  try {
    return function();
  } catch (const Stalled& stalled) {
    if constexpr (requires { device.probe(peer); }) explain(stalled, device.probe(peer), link);
    throw;
  }
}

}  // namespace pairbench
