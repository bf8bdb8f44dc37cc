// Ping-pong: one message in flight. Latency is what the initiator's clock says between receives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/clock.h"
#include "workload/flow.h"

namespace pairbench {

// Runs samples.size() round trips and stores each one's ticks. One stamp closes a sample and opens
// the next, so the samples sum to the elapsed time exactly.
template <class F, Clock C>
void pingpong_initiate(F& flow, const C& clock, std::span<Ticks> samples) {
  const std::size_t count = samples.size();
  Ticks opened = clock.now();
  for (std::size_t i = 0; i < count; ++i) {
    flow.send(i + 1 == count);
    flow.refill();  // while the message is on its way
    flow.await_received(i + 1);
    const Ticks now = clock.now();
    samples[i] = now - opened;
    opened = now;
  }
  flow.drain();
}

// The other end: replies to `count` messages. The reply leaves before the receive is replaced.
template <class F>
void pingpong_respond(F& flow, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    flow.await_received(i + 1);
    flow.send(i + 1 == count);
    flow.refill();
  }
  flow.drain();
}

}  // namespace pairbench
