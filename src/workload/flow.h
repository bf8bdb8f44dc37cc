// What every workload does with an endpoint: keep receives posted, send with a busy queue in mind,
// count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/endpoint.h"
#include "workload/flow_counts.h"
#include "workload/waiter.h"

namespace pairbench {

// The receives of one endpoint. `depth` are posted at all times but for those waiting to be
// refilled; they take turns in `slots` buffers (a power of two, or `depth` itself) of `stride`
// bytes.
struct RecvRing {
  LocalSlice memory;
  std::uint64_t stride = 0;
  std::uint64_t slots = 0;
  std::uint64_t depth = 0;
  std::uint64_t refill_batch = 1;  // refill once so many are spent

  std::uint64_t mask() const noexcept { return slots == depth ? UINT64_MAX : slots - 1; }
  LocalSlice slot(std::uint64_t number) const noexcept {
    return {memory.data + number * stride, stride, memory.key};
  }
  LocalSlice slice(Token token) const noexcept { return slot(token & mask()); }
};

// An endpoint with its receives and one payload, for one block of messages of one size after
// another. One thread. Nothing here allocates after construction.
template <Endpoint E, class Payload>
class Flow {
 public:
  static constexpr Token kCreditToken = Token{1} << 32;
  static constexpr std::size_t kPollBatch = 16;

  Flow(E& endpoint, const RecvRing& ring, std::vector<Token>& spent, Payload& payload,
       Waiter& waiter, std::uint64_t signal_interval)
      : endpoint_(endpoint),
        ring_(ring),
        spent_(spent),
        payload_(payload),
        waiter_(waiter),
        signal_interval_(signal_interval) {}

  const FlowCounts& counts() const { return counts_; }
  const Waiter& waiter() const { return waiter_; }

  // Sends whose completion is still unknown. Completions of signalled sends prove the unsignalled
  // ones before them (the plan leaves sends unsignalled only where that holds).
  std::uint64_t in_flight() const {
    const std::uint64_t proven = counts_.signalled_done * signal_interval_;
    return counts_.posted > proven ? counts_.posted - proven : 0;
  }

  // Posts the next data message; the last of a block is always signalled. `how`: yes, or at_once
  // where something else than the completion proves that the message has arrived.
  void send(bool last, Signal how = Signal::yes) {
    const bool signalled = --until_signal_ == 0 || last;
    if (signalled) until_signal_ = signal_interval_;
    if constexpr (Payload::kChecks) {
      while (!payload_.can_acquire()) poll();
    }
    const std::uint64_t slot = payload_.acquire(counts_.posted);
    const LocalSlice& message = payload_.slice(slot);
    const Signal signal = signalled ? how : Signal::no;
    Post post = endpoint_.post_send(message, slot, signal);
    while (post == Post::busy) {
      busy();
      post = endpoint_.post_send(message, slot, signal);
    }
    ++counts_.posted;
    if (post == Post::done) {
      ++counts_.signalled_done;
      payload_.release(slot);
    }
  }

  // Tells the peer that `receives` more are posted.
  void send_credit(std::uint32_t receives) {
    while (endpoint_.post_send_imm(payload_.slice(0).first(0), receives, kCreditToken,
                                   Signal::yes) == Post::busy)
      busy();
    ++counts_.credits_sent;
  }

  // Polls once; waits its turn when nothing was there.
  void poll() {
    const std::size_t n =
        endpoint_.poll(kPollBatch, [this](const Completion& completion) { take(completion); });
    if (n == 0) {
      if constexpr (SleepingEndpoint<E>) {
        if (waiter_.sleeps()) endpoint_.sleep(Waiter::kLongestSleep);
      }
      waiter_.idle(polled_, [this] { return describe_stall(counts_, posting_); });
      return;
    }
    polled_ += n;
  }

  // For loops that may find something in every poll. Throws as a wait does.
  void look_up() { waiter_.look_up(); }

  void await_received(std::uint64_t messages) {
    while (counts_.received < messages) poll();
  }

  // Reposts what is spent once there is enough of it. Off the critical path: after the reply has
  // left. A credit's receive is replaced at once: the reserve for them is small.
  void refill() {
    if (spent_.size() >= ring_.refill_batch || credit_spent_) repost();
  }

  void repost() {
    while (!spent_.empty()) {
      const Token token = spent_.back();
      spent_.pop_back();
      if (token >= ring_.depth) [[unlikely]]
        throw_unknown_receive(token);
      while (endpoint_.post_recv(ring_.slot(token & slot_mask_), token) == Post::busy) busy();
    }
    counts_.reposted = counts_.received;
    credit_spent_ = false;
  }

  // Waits for every completion that is due and posts all receives: the endpoint is quiet. Throws
  // Error(failed) when more came than was due.
  void drain() {
    while (in_flight() > 0 || counts_.credits_in_flight() > 0) poll();
    repost();
    const std::uint64_t signalled = (counts_.posted + signal_interval_ - 1) / signal_interval_;
    if (counts_.signalled_done != signalled)
      throw_miscounted("completions of sends", counts_.signalled_done, signalled);
    if (counts_.credits_done != counts_.credits_sent)
      throw_miscounted("completions of credits", counts_.credits_done, counts_.credits_sent);
  }

  void start_block() {
    counts_ = FlowCounts{};
    until_signal_ = signal_interval_;
    if constexpr (Payload::kChecks) payload_.start_block();
    waiter_.restart();
  }

 private:
  void busy() {
    ++counts_.busy_posts;
    posting_ = true;
    poll();
    posting_ = false;
  }

  void verify(const Completion& completion) {
    if constexpr (Payload::kReads) {
      if (completion.token >= ring_.depth) throw_unknown_receive(completion.token);
    }
    payload_.verify(ring_.slot(completion.token & slot_mask_).data, completion.byte_len);
  }

  void take(const Completion& completion) {
    switch (completion.kind) {
      case CompletionKind::send:
        if (completion.token == kCreditToken) {
          ++counts_.credits_done;
        } else {
          ++counts_.signalled_done;
          payload_.release(completion.token);
        }
        return;
      case CompletionKind::recv_imm:
        counts_.granted += completion.imm;
        ++counts_.credits_received;
        if (counts_.credits_received > counts_.posted) [[unlikely]]
          throw_miscounted("credits", counts_.credits_received, counts_.posted);
        credit_spent_ = true;
        break;
      case CompletionKind::recv:
        ++counts_.received;
        counts_.received_bytes += completion.byte_len;
        verify(completion);
        break;
    }
    spent_.push_back(completion.token);
  }

  E& endpoint_;
  const RecvRing& ring_;
  std::vector<Token>& spent_;  // receives that wait to be reposted; lives as long as the endpoint
  Payload& payload_;
  Waiter& waiter_;
  const std::uint64_t signal_interval_;
  const std::uint64_t slot_mask_ = ring_.mask();
  std::uint64_t until_signal_ = signal_interval_;
  FlowCounts counts_;
  bool credit_spent_ = false;
  bool posting_ = false;  // an operation waits for room
  std::uint64_t polled_ = 0;
};

}  // namespace pairbench
