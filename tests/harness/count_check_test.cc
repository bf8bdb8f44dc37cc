#include "harness/count_check.h"

#include <gtest/gtest.h>

namespace pairbench {
namespace {

TransportPlan over_inproc() {
  TransportPlan transport;
  transport.spec = parse_transport("inproc");
  return transport;
}

EndCounters counted(std::uint64_t sent, std::uint64_t received) {
  EndCounters counters;
  counters.messages_sent = sent;
  counters.bytes_sent = 8 * sent;
  counters.messages_received = received;
  counters.bytes_received = 8 * received;
  return counters;
}

TEST(CountCheck, EachDirectionCounts) {
  EXPECT_NO_THROW(require_equal_counts(counted(5, 3), counted(3, 5), over_inproc()));
  for (const EndCounters& there : {counted(3, 4), counted(4, 5), counted(5, 3)}) {
    try {
      require_equal_counts(counted(5, 3), there, over_inproc());
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.failure().status, ExitStatus::failed);
      EXPECT_EQ(error.failure().phase, Phase::results);
      EXPECT_EQ(error.failure().cause, "count mismatch, inproc");
    }
  }
  EndCounters short_of_a_byte = counted(3, 5);
  --short_of_a_byte.bytes_received;
  EXPECT_THROW(require_equal_counts(counted(5, 3), short_of_a_byte, over_inproc()), Error);
}

TEST(CountCheck, AnIntervalIsPartOfItsBlock) {
  Case c;
  c.size_bytes = 8;
  wire::BlockResult block;
  block.messages_received = 10;
  EXPECT_NO_THROW(require_possible_interval(block, c));  // none
  block.interval_messages = 9;
  block.interval_bytes = 72;
  block.interval_ns = 1000;
  EXPECT_NO_THROW(require_possible_interval(block, c));
  for (const auto& spoil : {+[](wire::BlockResult& b) { b.messages_received = 8; },
                            +[](wire::BlockResult& b) { b.interval_bytes = 80; },
                            +[](wire::BlockResult& b) { b.interval_ns = 0; },
                            +[](wire::BlockResult& b) { b.interval_ns = -5; },
                            +[](wire::BlockResult& b) { b.interval_ns = 1e-300; },
                            +[](wire::BlockResult& b) { b.interval_ns = 1e300; }}) {
    wire::BlockResult spoiled = block;
    spoil(spoiled);
    EXPECT_THROW(require_possible_interval(spoiled, c), ProtocolError);
  }
}

}  // namespace
}  // namespace pairbench
