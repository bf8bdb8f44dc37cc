// What both ends of a session do alike.
#pragma once

#include <chrono>
#include <functional>

#include "base/error.h"
#include "control/channel.h"
#include "control/messages.h"
#include "plan/plan.h"
#include "workload/flow.h"
#include "workload/link.h"
#include "workload/waiter.h"

namespace pairbench {

// The workloads' view of a channel.
Link make_link(Channel& channel, const Plan& plan);

// How long a peer may go without the message that is due although it shows signs of life: its
// process may live while its measuring thread hangs. Setting up opens devices and registers memory.
std::chrono::nanoseconds time_to_answer(std::chrono::nanoseconds peer_timeout);
std::chrono::nanoseconds time_to_set_up(std::chrono::nanoseconds peer_timeout);

// How long the sender of a timed stream sends: the duration and a ramp before it. Zero with
// iterations.
std::chrono::nanoseconds stream_time(const Case& c);

// The longest that a block of so many messages (0: of the case's time) may take, however slow the
// link: a peer that sends for ever must not hold this end for as long. At least `time_to_answer`,
// at most a session's limit.
std::chrono::nanoseconds longest_block(const Case& c, std::uint64_t messages,
                                       std::chrono::nanoseconds peer_timeout);

// While it lives the link's waits end with the block's time.
class TimedBlock {
 public:
  TimedBlock(Link& link, const Case& c, std::uint64_t messages);
  ~TimedBlock() { link_.limit = {}; }
  TimedBlock(const TimedBlock&) = delete;
  TimedBlock& operator=(const TimedBlock&) = delete;

 private:
  Link& link_;
};

// Adds a block's counts, in messages and bytes, to those of its case.
void add_counts(EndCounters& counters, const FlowCounts& counts, const Case& c);

// An error from the data path, completed by what the harness knows: phase, transport, and the
// remedy that goes with them.
[[noreturn]] void throw_in_context(const Error& error, Phase phase, const TransportPlan& transport);

template <class Function>
auto in_context(Phase phase, const TransportPlan& transport, const Function& function) {
  try {
    return function();
  } catch (const Error& error) {
    throw_in_context(error, phase, transport);
  }
}

// Turns the interruption of a wait on the data path into the channel's account of it.
template <class Function>
auto with_the_cause(Channel& channel, const Function& function) {
  try {
    return function();
  } catch (const LinkInterrupted& interrupted) {
    channel.throw_if_interrupted(interrupted.phase());
    throw;  // another session's channel knows why
  }
}

// Runs one end of a session. Whatever ends it early is told to the peer and thrown on, as Error or
// Interrupted. An error of the data path that is but the echo of a lost or failed peer is replaced
// by the channel's account of it.
void telling_the_peer(Channel& channel, const std::function<void()>& session);

}  // namespace pairbench
