// Data that do not move, explained: a device may know more than the wait that gave up.
#pragma once

#include "transport/endpoint.h"
#include "transport/probe.h"
#include "workload/link.h"
#include "workload/waiter.h"

namespace pairbench {

// Throws `stalled` as an Error with what `probe` tells of the peer. Without a failure in it the
// fault may lie in the other direction, where the peer asks its device now: then waits for its
// account first, and throws LinkInterrupted when it comes. Returns where nothing is known.
void explain(const Stalled& stalled, const Probe& probe, const Link& link);

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
