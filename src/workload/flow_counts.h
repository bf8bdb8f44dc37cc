// What went through a flow, and what it says when the numbers do not fit.
#pragma once

#include <cstdint>
#include <string>

#include "transport/endpoint.h"

namespace pairbench {

// Since the flow's last start_block().
struct FlowCounts {
  std::uint64_t posted = 0;          // data messages
  std::uint64_t signalled_done = 0;  // signalled ones that are complete
  std::uint64_t received = 0;        // data messages
  std::uint64_t received_bytes = 0;
  std::uint64_t granted = 0;  // by the peer's credits
  std::uint64_t credits_received = 0;
  std::uint64_t credits_sent = 0;
  std::uint64_t credits_done = 0;  // of those sent, with their completion
  std::uint64_t reposted = 0;      // data messages whose receive is posted again
  std::uint64_t busy_posts = 0;

  std::uint64_t credits_in_flight() const {
    return credits_sent > credits_done ? credits_sent - credits_done : 0;
  }
};

// Why nothing moves, as far as this end can see. `queue_full`: an operation waits to be posted.
[[gnu::cold]] std::string describe_stall(const FlowCounts& counts, bool queue_full);

// These throw Error(failed, measure): a transport that reports what it was not asked for.

// At the end of a block: `what` came back so many times instead of as often as it was due.
[[noreturn, gnu::cold]] void throw_miscounted(const char* what, std::uint64_t counted,
                                              std::uint64_t due);
// A receive that was never posted.
[[noreturn, gnu::cold]] void throw_unknown_receive(Token token);
// Between two blocks, when nothing is due.
[[noreturn, gnu::cold]] void throw_stray(const Completion& completion);

}  // namespace pairbench
