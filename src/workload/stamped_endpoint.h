// Where a round trip's time goes, seen from the thread that makes it.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

#include "base/clock.h"
#include "transport/endpoint.h"

namespace pairbench {

// Ticks spent within an endpoint's calls.
struct CallTicks {
  Ticks post_send = 0;
  Ticks post_recv = 0;
  Ticks poll = 0;  // in polls that brought something; empty ones are waiting
};

// An endpoint whose calls are stamped. Each part includes one reading of the clock, which is why it
// is measured in blocks of its own and never within what is reported as latency.
template <Endpoint E, Clock C>
class StampedEndpoint {
 public:
  StampedEndpoint(E& endpoint, const C& clock)
      : endpoint_(endpoint), clock_(clock), latest_(clock.now()) {}

  const CallTicks& ticks() const { return ticks_; }

  AddressBlob address() { return endpoint_.address(); }
  void connect(const AddressBlob& peer) { endpoint_.connect(peer); }
  Post post_send(LocalSlice slice, Token token, Signal signal) {
    return timed(ticks_.post_send, [&] { return endpoint_.post_send(slice, token, signal); });
  }
  Post post_send_imm(LocalSlice slice, std::uint32_t imm, Token token, Signal signal) {
    return timed(ticks_.post_send,
                 [&] { return endpoint_.post_send_imm(slice, imm, token, signal); });
  }
  Post post_recv(LocalSlice slice, Token token) {
    return timed(ticks_.post_recv, [&] { return endpoint_.post_recv(slice, token); });
  }
  template <class Take>
  std::size_t poll(std::size_t most, Take&& take) {
    std::size_t found = 0;
    const auto keep = [&](const Completion& completion) { found_[found++] = completion; };
    endpoint_.poll(std::min(most, found_.size()), keep);
    const Ticks now = clock_.now();
    if (found > 0) ticks_.poll += now - latest_;
    latest_ = now;
    for (std::size_t i = 0; i < found; ++i) take(found_[i]);
    return found;
  }
  void sleep(std::chrono::milliseconds longest) requires SleepingEndpoint<E> {
    endpoint_.sleep(longest);
    latest_ = clock_.now();
  }

 private:
  template <class Call>
  Post timed(Ticks& part, const Call& call) {
    const Ticks start = clock_.now();
    const Post post = call();
    latest_ = clock_.now();
    part += latest_ - start;
    return post;
  }

  E& endpoint_;
  const C& clock_;
  Ticks latest_;  // when the latest call returned
  CallTicks ticks_;
  std::array<Completion, 16> found_;  // so that what is done with them is not within the poll
};

}  // namespace pairbench
