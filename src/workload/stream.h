// Streams: a sliding window of messages one way, or both ways at once. Bandwidth is what the
// receiver counted between its own stamps.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"
#include "workload/checkpoints.h"
#include "workload/flow.h"
#include "workload/link.h"

namespace pairbench {

// What one end does in one block.
struct StreamJob {
  bool sends = false;
  bool receives = false;
  std::uint64_t messages =
      0;  // each way; 0: until `stop_at`, then the sender tells how many it were
  Ticks stop_at = 0;
  std::uint64_t window = 1;        // messages in flight at most
  std::uint64_t granted = 1;       // receives the peer has posted at the start
  std::uint64_t credit_every = 1;  // the receiver grants so many at a time
};

// How many receives one credit stands for, by the receives posted for data.
inline std::uint64_t credit_every(std::uint64_t rx_depth) {
  return std::max<std::uint64_t>(1, rx_depth / 4);
}

// The laziest refill that cannot starve the sender: up to credit_every - 1 reposted receives are
// not yet promised, so no more than the rest can ever be spent.
inline std::uint64_t largest_refill_batch(std::uint64_t rx_depth) {
  return rx_depth - credit_every(rx_depth) + 1;
}

// Credits are due after every `credit_every` messages: a whole number of them, known to both ends
// from the count of messages alone.
inline std::uint64_t credits_for(std::uint64_t messages, std::uint64_t credit_every) {
  return messages / credit_every;
}

// The sending half's state: how many, and whether that is final.
template <class F, Clock C>
class StreamSender {
 public:
  // The clock is read once in so many turns, to see whether the time is up.
  static constexpr std::uint32_t kClockEvery = 64;

  StreamSender(F& flow, const C& clock, const StreamJob& job, const Link& link)
      : flow_(flow),
        clock_(clock),
        job_(job),
        link_(link),
        total_(job.messages ? job.messages : UINT64_MAX) {
    if (!job.sends) total_ = 0;
  }

  // Fills the window.
  void advance() {
    for (std::uint64_t room = room_now(); room > 0; --room)
      flow_.send(flow_.counts().posted + 1 == total_);
    if (total_ == UINT64_MAX && ++turns_ % kClockEvery == 0) stop_when_due();
  }

  bool done() const {
    return flow_.counts().posted == total_ && flow_.in_flight() == 0 &&
           flow_.counts().credits_received >= credits_for(total_, job_.credit_every);
  }

  // Once done: throws Error(failed) when more credits came than were due.
  void settle() const {
    const std::uint64_t due = credits_for(total_, job_.credit_every);
    if (flow_.counts().credits_received != due)
      throw_miscounted("credits", flow_.counts().credits_received, due);
  }

 private:
  // Messages that may be posted. What is granted is never less than what was posted.
  std::uint64_t room_now() const {
    const FlowCounts& counts = flow_.counts();
    const std::uint64_t in_flight = flow_.in_flight();
    if (in_flight >= job_.window) return 0;
    return std::min({total_ - counts.posted, job_.window - in_flight,
                     job_.granted + counts.granted - counts.posted});
  }

  // The last message is sent apart, since it has to be signalled.
  void stop_when_due() {
    if (clock_.now() < job_.stop_at) return;
    total_ = flow_.counts().posted + 1;
    link_.announce_sent(total_);
  }

  F& flow_;
  const C& clock_;
  const StreamJob& job_;
  const Link& link_;
  std::uint64_t total_;
  std::uint32_t turns_ = 0;
};

// The receiving half's state: stamps, refills and credits.
template <class F, Clock C>
class StreamReceiver {
 public:
  StreamReceiver(F& flow, const C& clock, const StreamJob& job, const Link& link,
                 Checkpoints& stamps)
      : flow_(flow), clock_(clock), job_(job), link_(link), stamps_(stamps) {}

  void advance() {
    const std::uint64_t received = flow_.counts().received;
    if (received != seen_) {
      seen_ = received;
      if (stamps_.due(received) || received >= expected()) {
        stamps_.add(clock_.now(), received);
        flow_.look_up();  // rarer and rarer, as stamps are
      }
    }
    if (received >= expected())
      flow_.repost();  // the last credits are due although no refill is
    else
      flow_.refill();
    grant();
  }

  bool done() const { return seen_ >= expected() && flow_.counts().credits_in_flight() == 0; }

 private:
  std::uint64_t expected() const {
    if (!job_.receives) return 0;
    return job_.messages ? job_.messages : link_.peer_sent.load(std::memory_order_relaxed);
  }

  // A credit promises receives that are posted again, so never more than were.
  void grant() {
    while (flow_.counts().reposted - credited_ >= job_.credit_every) {
      flow_.send_credit(static_cast<std::uint32_t>(job_.credit_every));
      credited_ += job_.credit_every;
    }
  }

  F& flow_;
  const C& clock_;
  const StreamJob& job_;
  const Link& link_;
  Checkpoints& stamps_;
  std::uint64_t seen_ = 0;
  std::uint64_t credited_ = 0;
};

// Runs one block to its end: everything sent has arrived, is counted, and every receive is posted
// again.
template <class F, Clock C>
[[gnu::flatten]] void stream(F& flow, const C& clock, const StreamJob& job, const Link& link,
                             Checkpoints& stamps) {
  StreamSender sender(flow, clock, job, link);
  StreamReceiver receiver(flow, clock, job, link, stamps);
  while (!sender.done() || !receiver.done()) {
    sender.advance();
    flow.poll();
    receiver.advance();
  }
  flow.drain();
  sender.settle();
}

}  // namespace pairbench
