// Ping-pong: one message in flight. Latency is what the initiator's clock says between receives.
// The loops are flattened: without calls of our own between the provider's, a round trip has a
// third fewer of our instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/clock.h"
#include "workload/flow.h"

namespace pairbench {

// One message there and one back. `last` of its block: its send is signalled.
template <class F>
void round_trip(F& flow, bool last) {
  flow.send(last, Signal::at_once);  // the reply proves it
  flow.refill();                     // while the message is on its way
  flow.await_received(flow.counts().posted);
}

// Runs samples.size() round trips and stores each one's ticks. One stamp closes a sample and opens
// the next, so the samples sum to the elapsed time exactly.
template <class F, Clock C>
[[gnu::flatten]] void pingpong_stamped(F& flow, const C& clock, std::span<Ticks> samples,
                                       bool last) {
  const std::size_t count = samples.size();
  Ticks opened = clock.now();
  for (std::size_t i = 0; i < count; ++i) {
    round_trip(flow, last && i + 1 == count);
    const Ticks now = clock.now();
    samples[i] = now - opened;
    opened = now;
  }
}

// Runs `count` round trips between two stamps; the ticks from the one to the other.
template <class F, Clock C>
[[gnu::flatten]] Ticks pingpong_batched(F& flow, const C& clock, std::uint64_t count, bool last) {
  const Ticks start = clock.now();
  for (std::uint64_t i = 0; i < count; ++i) round_trip(flow, last && i + 1 == count);
  return clock.now() - start;
}

template <class F, Clock C>
void pingpong_initiate(F& flow, const C& clock, std::span<Ticks> samples) {
  pingpong_stamped(flow, clock, samples, true);
  flow.drain();
}

// The same number of round trips with a stamp each, and between two stamps.
struct ProbePair {
  Ticks stamped = 0;
  Ticks batched = 0;
};

// Shows what the stamps themselves cost. Which of the two comes first changes from pair to pair, so
// that drift hits both alike. `chunk`, whose size is that of either part, is scratch.
template <class F, Clock C>
void pingpong_probe(F& flow, const C& clock, std::span<Ticks> chunk, std::span<ProbePair> pairs) {
  const auto stamped = [&](ProbePair& pair, bool last) {
    pingpong_stamped(flow, clock, chunk, last);
    for (const Ticks sample : chunk) pair.stamped += sample;
  };
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const bool last = i + 1 == pairs.size();
    const bool stamped_first = i % 2 == 0;
    if (stamped_first) stamped(pairs[i], false);
    pairs[i].batched = pingpong_batched(flow, clock, chunk.size(), last && stamped_first);
    if (!stamped_first) stamped(pairs[i], last);
  }
  flow.drain();
}

// The other end: replies to `count` messages. The reply leaves before the receive is replaced.
template <class F>
[[gnu::flatten]] void pingpong_respond(F& flow, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    flow.await_received(i + 1);
    flow.send(i + 1 == count, Signal::at_once);
    flow.refill();
  }
  flow.drain();
}

}  // namespace pairbench
