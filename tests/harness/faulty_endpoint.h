// An endpoint that goes wrong in one way, once a test has armed it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <span>
#include <thread>
#include <utility>

#include "base/error.h"
#include "transport/capabilities.h"
#include "transport/endpoint.h"

namespace pairbench::testing {

enum class Fault {
  none,
  busy_for_a_while,
  busy_for_ever,
  completion_error,
  lost_send_completion,
  lost_receive,
  doubled_send_completion,
  doubled_receive,
  unknown_receive,
  reordered,
  late,
  lost_message,
  doubled_message,
  short_receive,
};

// One fault of all endpoints that one device makes. Belongs to the end's thread, but for arm().
class Script {
 public:
  // The operation it strikes is the `nth` of its kind after arm(), the first being number 1.
  explicit Script(Fault fault, std::uint64_t nth = 1) : fault_(fault), left_(nth) {}

  Fault fault() const { return fault_; }
  void arm() { armed_ = true; }

  // Whether the operation that is about to be done is the one.
  bool strikes(Fault fault) {
    if (fault != fault_ || !armed_ || struck_) return false;
    struck_ = --left_ == 0;
    return struck_;
  }
  // Whether it was done already.
  bool struck() const { return struck_; }

 private:
  const Fault fault_;
  std::uint64_t left_;
  std::atomic<bool> armed_{false};
  std::atomic<bool> struck_{false};
};

// Wraps the endpoint of a thread.
template <class E>
class FaultyEndpoint {
 public:
  FaultyEndpoint(E endpoint, Script& script) : endpoint_(std::move(endpoint)), script_(script) {}

  AddressBlob address() const { return endpoint_.address(); }
  void connect(const AddressBlob& peer) { endpoint_.connect(peer); }

  Post post_send(LocalSlice slice, Token token, Signal signal) {
    return send(token, signal, [&](Signal s) { return endpoint_.post_send(slice, token, s); });
  }
  Post post_send_imm(LocalSlice slice, std::uint32_t imm, Token token, Signal signal) {
    return send(token, signal,
                [&](Signal s) { return endpoint_.post_send_imm(slice, imm, token, s); });
  }
  Post post_recv(LocalSlice slice, Token token) {
    return busy() ? Post::busy : endpoint_.post_recv(slice, token);
  }

  // Waiting costs no CPU, so that the timeouts of many tests pass quickly on a busy machine.
  void sleep(std::chrono::milliseconds /*longest*/) { std::this_thread::sleep_for(kNap); }

  template <class Take>
  std::size_t poll(std::size_t most, Take&& take) {
    const std::size_t n = endpoint_.poll(
        std::min(most, kBatch), [this](const Completion& completion) { report(completion); });
    if (script_.fault() == Fault::reordered && script_.struck()) {
      if (n > 0 && held_.size() < kBatch) return 0;  // wait for more to bring into disorder
      std::reverse(held_.begin(), held_.end());
    }
    std::size_t given = 0;
    for (; given < most && !held_.empty() && held_.front().due <= Clock::now(); ++given) {
      const Completion completion = held_.front().completion;
      held_.pop_front();
      take(completion);
    }
    return given;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kBatch = 4;
  static constexpr std::uint32_t kBusyPosts = 100;
  static constexpr std::chrono::microseconds kNap{50};
  static constexpr std::chrono::milliseconds kDelay{20};
  static constexpr Token kNobodysToken = 1'000'000;

  struct Held {
    Completion completion;
    Clock::time_point due;
  };

  bool busy() {
    if (script_.fault() == Fault::busy_for_ever)
      return script_.strikes(Fault::busy_for_ever) || script_.struck();
    if (script_.strikes(Fault::busy_for_a_while)) busy_posts_ = kBusyPosts;
    return busy_posts_ > 0 && busy_posts_-- > 0;
  }

  template <class Send>
  Post send(Token token, Signal signal, const Send& post) {
    if (busy()) return Post::busy;
    if (script_.strikes(Fault::lost_message)) {
      if (signal != Signal::no) hold({token, 0, 0, CompletionKind::send});
      return Post::accepted;
    }
    const Post done = post(signal);
    if (done != Post::busy && script_.strikes(Fault::doubled_message))
      while (post(Signal::no) == Post::busy) continue;
    return done;
  }

  void report(Completion completion) {
    const bool send = completion.kind == CompletionKind::send;
    if (script_.strikes(Fault::completion_error))
      throw Error(ExitStatus::failed, Phase::measure, "a completion failed", "a made-up error",
                  "disarm the script");
    if (script_.strikes(Fault::late)) return hold(completion, kDelay);
    script_.strikes(Fault::reordered);
    if (script_.strikes(send ? Fault::lost_send_completion : Fault::lost_receive)) return;
    if (script_.strikes(send ? Fault::doubled_send_completion : Fault::doubled_receive))
      hold(completion);
    if (!send && script_.strikes(Fault::unknown_receive)) completion.token = kNobodysToken;
    if (!send && completion.byte_len > 0 && script_.strikes(Fault::short_receive))
      completion.byte_len /= 2;
    hold(completion);
  }

  void hold(const Completion& completion, Clock::duration delay = {}) {
    held_.push_back({completion, Clock::now() + delay});
  }

  E endpoint_;
  Script& script_;
  std::deque<Held> held_;
  std::uint32_t busy_posts_ = 0;
};

// Makes endpoints that follow one script, which outlives them.
template <class D>
class FaultyDevice {
 public:
  FaultyDevice(D device, Script& script) : device_(std::move(device)), script_(&script) {}

  Capabilities capabilities() const {
    Capabilities result = device_.capabilities();
    result.event_wait = true;
    return result;
  }
  auto register_memory(std::span<std::byte> bytes) { return device_.register_memory(bytes); }
  auto make_endpoint(const EndpointOptions& options) {
    return FaultyEndpoint(device_.make_endpoint(options), *script_);
  }

 private:
  D device_;
  Script* script_;
};

}  // namespace pairbench::testing
