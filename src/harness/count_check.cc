#include "harness/count_check.h"

#include <fmt/format.h>

namespace pairbench {
namespace {

void require_arrival(const char* direction, const EndCounters& from, const EndCounters& to,
                     const TransportPlan& transport) {
  if (from.messages_sent == to.messages_received && from.bytes_sent == to.bytes_received) return;
  throw Error(
      ExitStatus::failed, Phase::results,
      fmt::format("{}: {} messages ({} bytes) were sent, {} ({} bytes) arrived", direction,
                  from.messages_sent, from.bytes_sent, to.messages_received, to.bytes_received),
      fmt::format("count mismatch, {}", transport.spec.label),
      "measure again with --check, which names the first wrong message");
}

}  // namespace

EndCounters counters_of(const wire::BlockResult& block) {
  EndCounters counters;
  counters.messages_sent = block.messages_sent;
  counters.messages_received = block.messages_received;
  counters.bytes_sent = block.bytes_sent;
  counters.bytes_received = block.bytes_received;
  return counters;
}

void require_equal_counts(const EndCounters& here, const EndCounters& there,
                          const TransportPlan& transport) {
  require_arrival("initiator to responder", here, there, transport);
  require_arrival("responder to initiator", there, here, transport);
}

void require_possible_interval(const wire::BlockResult& there, const Case& c) {
  constexpr double kShortest = 0.01;  // below any clock's step
  constexpr double kLongest = 1e18;
  const double ns = there.interval_ns.value_or(1);
  if (there.interval_messages <= there.messages_received &&
      there.interval_bytes == there.interval_messages * c.size_bytes && ns >= kShortest &&
      ns <= kLongest)
    return;
  throw ProtocolError(
      Phase::results, "the peer reports an interval that its block cannot have",
      fmt::format("{} messages and {} bytes of {} messages received", there.interval_messages,
                  there.interval_bytes, there.messages_received));
}

}  // namespace pairbench
