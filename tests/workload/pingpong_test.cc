#include "workload/pingpong.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <numeric>
#include <thread>

#include "workload/allocation_count.h"
#include "workload/first_message.h"
#include "workload/inproc_pair.h"

namespace pairbench::testing {
namespace {

TEST(Pingpong, SamplesAreTheClockDifferencesExactly) {
  Pair pair;
  auto pa = pair.a.plain();
  auto pb = pair.b.plain();
  std::thread responder([&] {
    auto flow = pair.b.flow(pb);
    flow.start_block();
    pingpong_respond(flow, 1000);
  });
  auto flow = pair.a.flow(pa);
  flow.start_block();
  ManualClock clock{7};
  std::vector<Ticks> samples(1000);
  pingpong_initiate(flow, clock, samples);
  responder.join();
  for (const Ticks sample : samples) EXPECT_EQ(sample, 7u);
  // One reading opens the first sample, one closes each.
  EXPECT_EQ(clock.time, 7u * 1001u);
}

TEST(Pingpong, AProbeAlternatesStampedAndBatchedChunks) {
  constexpr std::uint64_t kChunk = 10;
  constexpr std::uint64_t kPairs = 5;
  Pair pair({.signal_interval = 4});
  auto pa = pair.a.plain();
  auto pb = pair.b.plain();
  std::thread responder([&] {
    auto flow = pair.b.flow(pb);
    flow.start_block();
    pingpong_respond(flow, 2 * kChunk * kPairs);
  });
  auto flow = pair.a.flow(pa);
  flow.start_block();
  const ManualClock clock{7};
  std::vector<Ticks> chunk(kChunk);
  std::vector<ProbePair> pairs(kPairs);
  pingpong_probe(flow, clock, chunk, pairs);
  responder.join();
  for (const ProbePair& probe : pairs) {
    EXPECT_EQ(probe.stamped, 7 * kChunk);  // a reading for each, and the one that opened the first
    EXPECT_EQ(probe.batched, 7u);          // two readings, whatever the chunk
  }
  EXPECT_EQ(clock.time, 7 * kPairs * (kChunk + 1 + 2));
  EXPECT_EQ(flow.counts().posted, 2 * kChunk * kPairs);
  EXPECT_EQ(flow.in_flight(), 0u);
}

struct Shape {
  std::uint64_t size, refill_batch, signal_interval;
};

class PingpongShapes : public ::testing::TestWithParam<Shape> {};

TEST_P(PingpongShapes, CheckedMessagesArriveInWholeAndCountsMatch) {
  const Shape shape = GetParam();
  Pair pair({.size = shape.size,
             .rx_depth = 16,
             .refill_batch = shape.refill_batch,
             .signal_interval = shape.signal_interval});
  auto pa = pair.a.checked(1, 2);
  auto pb = pair.b.checked(2, 1);
  const std::uint64_t kCount = shape.size > 65536 ? 20 : 500;
  std::thread responder([&] {
    auto flow = pair.b.flow(pb);
    flow.start_block();
    pingpong_respond(flow, kCount);
    EXPECT_EQ(flow.counts().received, kCount);
    EXPECT_EQ(flow.counts().received_bytes, kCount * shape.size);
    pb.finish_block(kCount);
  });
  auto flow = pair.a.flow(pa);
  flow.start_block();
  std::vector<Ticks> samples(kCount);
  pingpong_initiate(flow, RawClock{}, samples);
  responder.join();
  pa.finish_block(kCount);
  EXPECT_EQ(flow.counts().posted, kCount);
  EXPECT_EQ(flow.counts().received_bytes, kCount * shape.size);
  EXPECT_EQ(flow.in_flight(), 0u);
  EXPECT_EQ(pair.a.spent.size(), 0u);
}

INSTANTIATE_TEST_SUITE_P(All, PingpongShapes,
                         ::testing::Values(Shape{0, 1, 1}, Shape{1, 1, 1}, Shape{39, 1, 1},
                                           Shape{40, 5, 1}, Shape{4096, 15, 1},
                                           Shape{1 << 20, 1, 1}));

// Checked payloads need every completion; plain ones show that unsignalled sends are proven by
// later ones.
TEST(Pingpong, UnsignalledSendsAreProvenByTheNextSignalled) {
  for (const std::uint64_t interval : {2u, 7u, 32u}) {
    Pair pair({.size = 4096, .signal_interval = interval});
    auto pa = pair.a.plain();
    auto pb = pair.b.plain();
    std::thread responder([&] {
      auto flow = pair.b.flow(pb);
      flow.start_block();
      pingpong_respond(flow, 1001);
      EXPECT_EQ(flow.in_flight(), 0u);
    });
    auto flow = pair.a.flow(pa);
    flow.start_block();
    std::vector<Ticks> samples(1001);
    pingpong_initiate(flow, RawClock{}, samples);
    responder.join();
    EXPECT_EQ(flow.in_flight(), 0u);
    EXPECT_EQ(flow.counts().signalled_done, (1001 + interval - 1) / interval);
  }
}

TEST(Pingpong, AllocatesNothingBetweenFirstAndLastStamp) {
  Pair pair;
  auto pa = pair.a.plain();
  auto pb = pair.b.plain();
  std::thread responder([&] {
    auto flow = pair.b.flow(pb);
    flow.start_block();
    const AllocationCount before;
    pingpong_respond(flow, 10'000);
    EXPECT_EQ(before.since(), 0u);
  });
  auto flow = pair.a.flow(pa);
  flow.start_block();
  std::vector<Ticks> samples(10'000);
  const AllocationCount before;
  pingpong_initiate(flow, TscClock{}, samples);
  EXPECT_EQ(before.since(), 0u);
  responder.join();
}

TEST(Pingpong, PeerThatNeverAnswersIsAnErrorWithinTheTimeout) {
  Pair pair({.peer_timeout = std::chrono::milliseconds(50)});
  auto pa = pair.a.plain();
  auto flow = pair.a.flow(pa);
  flow.start_block();
  std::vector<Ticks> samples(3);
  EXPECT_THROW(pingpong_initiate(flow, RawClock{}, samples), Error);
}

TEST(FirstMessage, WrongTokenIsRefused) {
  Pair pair({.size = 64});
  const std::vector<std::byte> ours(kMinFirstMessage, std::byte{1});
  const std::vector<std::byte> other(kMinFirstMessage, std::byte{2});
  TokenPayload pa(pair.a.send_memory(), ours);
  TokenPayload pb(pair.b.send_memory(), other);
  auto from = pair.a.flow(pa);
  auto to = pair.b.flow(pb);
  from.start_block();
  to.start_block();
  from.send(true);
  EXPECT_THROW(to.await_received(1), Error);
}

}  // namespace
}  // namespace pairbench::testing
