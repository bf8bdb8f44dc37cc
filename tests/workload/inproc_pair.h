// Two connected in-process ends with posted receives, each to be driven by a thread of the test.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "base/buffer.h"
#include "transport/inproc/device.h"
#include "workload/flow.h"
#include "workload/link.h"
#include "workload/payload.h"

namespace pairbench::testing {

struct PairOptions {
  std::uint64_t size = 8;
  std::uint64_t window = 64;
  std::uint64_t rx_depth = 64;
  std::uint64_t refill_batch = 1;
  std::uint64_t signal_interval = 1;
  std::chrono::nanoseconds peer_timeout = std::chrono::seconds(20);
};

// One end: endpoint, memory, link. The flow over it is made by the test.
struct End {
  explicit End(const PairOptions& o)
      : options(o),
        stride((o.size + 127) / 128 * 128 + 128),
        memory(stride * (o.rx_depth + 8 + o.window)),
        endpoint({o.window + 8, o.rx_depth + 8, o.size, SIZE_MAX}),
        ring{{memory.bytes().data(), stride * (o.rx_depth + 8), 0},
             stride,
             o.rx_depth + 8,
             o.rx_depth + 8,
             o.refill_batch},
        link{interrupted, peer_sent, [this](std::uint64_t n) { announce_to->store(n); },
             o.peer_timeout, true},
        waiter(link) {
    spent.reserve(ring.depth);
    for (Token token = 0; token < ring.depth; ++token)
      if (endpoint.post_recv(ring.slice(token), token) != Post::accepted)
        throw std::logic_error("post_recv");
  }

  LocalSlice send_memory() {
    return {memory.bytes().data() + stride * ring.depth, stride * options.window, 0};
  }
  PlainPayload plain() { return {send_memory(), options.size}; }
  CheckedPayload checked(std::uint8_t out, std::uint8_t in) {
    return {send_memory(), options.size, stride, options.window, out, in};
  }
  template <class P>
  Flow<inproc::Endpoint, P> flow(P& payload) {
    return {endpoint, ring, spent, payload, waiter, options.signal_interval};
  }

  PairOptions options;
  std::uint64_t stride;
  Buffer memory;
  inproc::Endpoint endpoint;
  RecvRing ring;
  std::vector<Token> spent;
  std::atomic<bool> interrupted{false};
  std::atomic<std::uint64_t> peer_sent{kNotAnnounced};
  std::atomic<std::uint64_t>* announce_to = nullptr;
  Link link;
  Waiter waiter;
};

struct Pair {
  explicit Pair(const PairOptions& options = {}) : a(options), b(options) {
    a.endpoint.connect(b.endpoint.address());
    b.endpoint.connect(a.endpoint.address());
    a.announce_to = &b.peer_sent;
    b.announce_to = &a.peer_sent;
  }
  End a;
  End b;
};

// Every reading is `step` after the last.
struct ManualClock {
  Ticks step = 10;
  mutable Ticks time = 0;
  Ticks now() const { return time += step; }
};

}  // namespace pairbench::testing
