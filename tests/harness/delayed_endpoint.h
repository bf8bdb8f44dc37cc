// An endpoint whose messages take a time that the test knows, on a clock that the test moves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

#include "base/clock.h"
#include "transport/endpoint.h"

namespace pairbench::testing {

// Stands still but for the delays.
struct VirtualClock {
  Ticks* time;
  Ticks now() const { return *time; }
};

// Wraps the endpoint of a thread: every message that it receives has taken `delay()` ticks longer.
template <class E>
class DelayedEndpoint {
 public:
  DelayedEndpoint(
      E& endpoint, Ticks& time, std::function<Ticks()> delay,
      std::function<void()> before_poll = [] {})
      : endpoint_(endpoint),
        time_(time),
        delay_(std::move(delay)),
        before_poll_(std::move(before_poll)) {}

  AddressBlob address() { return endpoint_.address(); }
  void connect(const AddressBlob& peer) { endpoint_.connect(peer); }
  Post post_send(LocalSlice slice, Token token, Signal signal) {
    return endpoint_.post_send(slice, token, signal);
  }
  Post post_send_imm(LocalSlice slice, std::uint32_t imm, Token token, Signal signal) {
    return endpoint_.post_send_imm(slice, imm, token, signal);
  }
  Post post_recv(LocalSlice slice, Token token) { return endpoint_.post_recv(slice, token); }

  // One completion at a time, so that each message has a moment of its own.
  template <class Take>
  std::size_t poll(std::size_t most, Take&& take) {
    before_poll_();
    return endpoint_.poll(std::min<std::size_t>(most, 1), [&](const Completion& completion) {
      if (completion.kind == CompletionKind::recv) time_ += delay_();
      take(completion);
    });
  }

 private:
  E& endpoint_;
  Ticks& time_;
  std::function<Ticks()> delay_;
  std::function<void()> before_poll_;
};

}  // namespace pairbench::testing
