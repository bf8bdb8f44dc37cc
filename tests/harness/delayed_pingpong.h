// Round trips over inproc that take the time that the test decides.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "harness/delayed_endpoint.h"
#include "workload/inproc_pair.h"
#include "workload/pingpong.h"

namespace pairbench::testing {

// A tick is a nanosecond.
inline ClockScale nanosecond_ticks() {
  return {};
}

// Measures `count` round trips between two ends of one thread, each with a delay of its own.
inline std::vector<Ticks> measure(std::uint64_t count, const std::function<Ticks()>& delay) {
  Pair pair;
  auto pa = pair.a.plain();
  auto pb = pair.b.plain();
  auto responder = pair.b.flow(pb);
  responder.start_block();
  const auto respond = [&] {
    responder.poll();
    if (responder.counts().received == responder.counts().posted) return;
    responder.send(false);
    responder.refill();
  };
  Ticks time = 0;
  DelayedEndpoint endpoint(pair.a.endpoint, time, delay, respond);
  Flow<decltype(endpoint), PlainPayload> flow(endpoint, pair.a.ring, pair.a.spent, pa,
                                              pair.a.waiter, 1);
  flow.start_block();
  std::vector<Ticks> samples(count);
  pingpong_initiate(flow, VirtualClock{&time}, samples);
  return samples;
}

// Neighbours resemble each other by a correlation of 0.5, as stalls and queues make them.
inline std::function<Ticks()> dependent(std::mt19937_64& random, double middle, double spread) {
  constexpr double kCorrelation = 0.5;
  std::normal_distribution<double> normal(0, spread * std::sqrt(1 - kCorrelation * kCorrelation));
  return [&random, normal, middle, state = 0.0]() mutable {
    state = kCorrelation * state + normal(random);
    return static_cast<Ticks>(std::lround(middle * (1 + state)));
  };
}

}  // namespace pairbench::testing
