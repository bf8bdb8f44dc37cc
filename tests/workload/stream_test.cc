#include "workload/stream.h"

#include <gtest/gtest.h>

#include <deque>
#include <span>
#include <thread>
#include <tuple>
#include <vector>

#include "workload/inproc_pair.h"

namespace pairbench::testing {
namespace {

using namespace std::chrono_literals;

struct Outcome {
  FlowCounts a;
  FlowCounts b;
  std::vector<Checkpoint> stamps;  // of b
};

template <class P, class C = RawClock>
Outcome run(Pair& pair, P pa, P pb, StreamJob job_a, StreamJob job_b, const C& clock = {}) {
  Outcome outcome;
  std::thread other([&] {
    std::vector<Checkpoint> storage(256);
    Checkpoints stamps(storage);
    stamps.clear();
    auto flow = pair.b.flow(pb);
    flow.start_block();
    stream(flow, clock, job_b, pair.b.link, stamps);
    if constexpr (P::kChecks) pb.finish_block(flow.counts().received);
    outcome.b = flow.counts();
    outcome.stamps.assign(stamps.all().begin(), stamps.all().end());
  });
  std::vector<Checkpoint> storage(256);
  Checkpoints stamps(storage);
  stamps.clear();
  auto flow = pair.a.flow(pa);
  flow.start_block();
  stream(flow, RawClock{}, job_a, pair.a.link, stamps);
  other.join();
  if constexpr (P::kChecks) pa.finish_block(flow.counts().received);
  outcome.a = flow.counts();
  return outcome;
}

StreamJob job(const PairOptions& options, bool sends, bool receives, std::uint64_t messages) {
  return {sends,
          receives,
          messages,
          0,
          options.window,
          options.rx_depth,
          credit_every(options.rx_depth)};
}

// messages × window × rx_depth × refill batch
using StreamShape = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, bool>;
class StreamShapes : public ::testing::TestWithParam<StreamShape> {};

TEST_P(StreamShapes, EndsWithExactCountsBothEnds) {
  const auto [messages, window, rx_depth, lazy_refill] = GetParam();
  const PairOptions options{.size = 64,
                            .window = window,
                            .rx_depth = rx_depth,
                            .refill_batch = lazy_refill ? largest_refill_batch(rx_depth) : 1};
  Pair pair(options);
  const Outcome one_way =
      run(pair, pair.a.checked(1, 2), pair.b.checked(2, 1), job(options, true, false, messages),
          job(options, false, true, messages));
  EXPECT_EQ(one_way.a.posted, messages);
  EXPECT_EQ(one_way.b.received, messages);
  EXPECT_EQ(one_way.b.received_bytes, messages * 64);
  EXPECT_EQ(one_way.a.credits_received, messages / credit_every(rx_depth));
  EXPECT_EQ(one_way.stamps.back().messages, messages);

  const Outcome two_way =
      run(pair, pair.a.checked(1, 2), pair.b.checked(2, 1), job(options, true, true, messages),
          job(options, true, true, messages));
  EXPECT_EQ(two_way.a.posted, messages);
  EXPECT_EQ(two_way.a.received, messages);
  EXPECT_EQ(two_way.b.posted, messages);
  EXPECT_EQ(two_way.b.received, messages);
  EXPECT_TRUE(pair.a.spent.empty());
  EXPECT_TRUE(pair.b.spent.empty());
}

INSTANTIATE_TEST_SUITE_P(All, StreamShapes,
                         ::testing::Combine(::testing::Values(1, 2, 7, 63, 64, 65, 1000, 10007),
                                            ::testing::Values(1, 2, 3, 64, 100),
                                            ::testing::Values(1, 5, 7, 64, 512),
                                            ::testing::Bool()));

// A peer that sends for ever: no poll ever comes back empty.
class FloodingEndpoint {
 public:
  AddressBlob address() const { return {}; }
  void connect(const AddressBlob& /*peer*/) {}
  Post post_send(LocalSlice /*memory*/, Token /*token*/, Signal /*signal*/) { return Post::done; }
  Post post_send_imm(LocalSlice /*memory*/, std::uint32_t /*imm*/, Token token, Signal /*signal*/) {
    ready_.push_back({token, 0, 0, CompletionKind::send});
    return Post::accepted;
  }
  Post post_recv(LocalSlice /*memory*/, Token token) {
    ready_.push_back({token, 8, imm_, kind_});
    return Post::accepted;
  }
  template <class Take>
  std::size_t poll(std::size_t most, Take&& take) {
    std::size_t given = 0;
    for (; given < most && !ready_.empty(); ++given) {
      const Completion completion = ready_.front();
      ready_.pop_front();
      take(completion);
    }
    empty_ = empty_ || given == 0;
    return given;
  }

  void send_credits() { kind_ = CompletionKind::recv_imm; }
  bool was_empty() const { return empty_; }

 private:
  CompletionKind kind_ = CompletionKind::recv;
  std::uint32_t imm_ = 0;
  std::deque<Completion> ready_;
  bool empty_ = false;
};

// One end of a stream over it.
class Flooded : public ::testing::Test {
 protected:
  // How the end's part in a stream ends.
  Failure failure_of(const StreamJob& job) {
    for (Token token = 0; token < end_.ring.depth; ++token)
      EXPECT_EQ(endpoint_.post_recv(end_.ring.slice(token), token), Post::accepted);
    PlainPayload payload = end_.plain();
    Flow<FloodingEndpoint, PlainPayload> flow(endpoint_, end_.ring, end_.spent, payload,
                                              end_.waiter, 1);
    end_.link.limit = {Deadline::after(50ms), 50ms};
    flow.start_block();
    std::vector<Checkpoint> storage(256);
    Checkpoints stamps(storage);
    stamps.clear();
    try {
      stream(flow, RawClock{}, job, end_.link, stamps);
    } catch (const Error& error) {
      return error.failure();
    }
    ADD_FAILURE() << "it ended well";
    return {};
  }

  const PairOptions options_{.size = 8};
  End end_{options_};
  FloodingEndpoint endpoint_;
};

TEST_F(Flooded, AReceiverEndsWithTheBlocksTime) {
  const Failure failure = failure_of(job(options_, false, true, 0));
  EXPECT_EQ(failure.status, ExitStatus::peer);
  EXPECT_EQ(failure.message, "a block has not ended in 50ms, the longest it may take");
  EXPECT_FALSE(endpoint_.was_empty());
}

TEST_F(Flooded, ASenderThatGetsDataInsteadOfCreditsEndsWithTheBlocksTime) {
  const Failure failure = failure_of(job(options_, true, false, 1'000'000));
  EXPECT_EQ(failure.message, "a block has not ended in 50ms, the longest it may take");
}

TEST_F(Flooded, CreditsThatCannotBeAreRefused) {
  endpoint_.send_credits();
  const Failure failure = failure_of(job(options_, false, true, 0));
  EXPECT_EQ(failure.message, "1 credits were reported, 0 were due");
}

// The time is up after a few readings of the clock; the receiver polls on to the announced count.
TEST(Stream, DurationEndsAtTheAnnouncedCount) {
  const PairOptions options{.size = 8};
  Pair pair(options);
  StreamJob sender = job(options, true, false, 0);
  const StreamJob receiver = job(options, false, true, 0);
  sender.stop_at = RawClock{}.now() + 5'000'000;
  const Outcome outcome = run(pair, pair.a.plain(), pair.b.plain(), sender, receiver);
  EXPECT_GT(outcome.a.posted, 0u);
  EXPECT_EQ(pair.b.peer_sent.load(), outcome.a.posted);
  EXPECT_EQ(outcome.b.received, outcome.a.posted);
}

TEST(Stream, UnsignalledSendsKeepTheWindow) {
  const PairOptions options{.size = 64, .window = 16, .signal_interval = 8};
  Pair pair(options);
  const Outcome outcome = run(pair, pair.a.plain(), pair.b.plain(),
                              job(options, true, false, 10'003), job(options, false, true, 10'003));
  EXPECT_EQ(outcome.b.received, 10'003u);
  EXPECT_EQ(outcome.a.signalled_done, 10'003u / 8 + 1);
}

TEST(Stream, FirstStampIsAtTheFirstMessages) {
  const PairOptions options{.size = 8};
  Pair pair(options);
  const Outcome outcome = run(pair, pair.a.plain(), pair.b.plain(), job(options, true, false, 1),
                              job(options, false, true, 1), ManualClock{10});
  ASSERT_EQ(outcome.stamps.size(), 1u);
  EXPECT_EQ(outcome.stamps[0], (Checkpoint{10, 1}));
}

}  // namespace
}  // namespace pairbench::testing
