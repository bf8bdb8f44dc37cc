// What every transport must do, whichever it is: the contract of transport/endpoint.h.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bitset>
#include <filesystem>
#include <future>
#include <memory>

#include "base/error.h"
#include "conformance/pair.h"
#include "conformance/transports.h"

namespace pairbench::conformance {
namespace {

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

class Conformance : public testing::TestWithParam<Transport> {
 protected:
  void SetUp() override {
    try {
      GetParam().open({}, 4096);
    } catch (const Error& error) {
      if (error.failure().status != ExitStatus::no_device) throw;
      GTEST_SKIP() << describe(error.failure());
    }
  }
};

// One message of `size` bytes each way, checked on both sides.
void exchange(Pair& pair, std::size_t size, unsigned seed) {
  const auto one_way = [&](Side& from, Side& to, unsigned pattern) {
    pair.forget();
    const LocalSlice out = from.slice(0, size);
    const LocalSlice in = to.slice(size, size);
    fill(out, pattern);
    fill(in, pattern + 1);
    ASSERT_TRUE(pair.accepted([&] { return to.post_recv(in, 2); }));
    ASSERT_TRUE(pair.accepted([&] { return from.post_send(out, 1, Signal::yes); }));
    ASSERT_TRUE(pair.wait([&] {
      return from.count(CompletionKind::send) > 0 && to.count(CompletionKind::recv) > 0;
    }));
    ASSERT_TRUE(from.only(CompletionKind::send));
    EXPECT_EQ(from.only(CompletionKind::send)->token, 1u);
    ASSERT_TRUE(to.only(CompletionKind::recv));
    EXPECT_EQ(to.only(CompletionKind::recv)->token, 2u);
    EXPECT_EQ(to.only(CompletionKind::recv)->byte_len, size);
    EXPECT_TRUE(holds(in, pattern)) << size << " bytes";
  };
  one_way(pair.a(), pair.b(), seed);
  one_way(pair.b(), pair.a(), seed + 7);
}

TEST_P(Conformance, CarriesEverySizeBothWays) {
  Pair pair(GetParam(), {}, 16 * kMegabyte);
  const std::size_t largest = std::min(pair.a().longest_message(), 8 * kMegabyte);
  unsigned seed = 0;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{8}, std::size_t{63}, std::size_t{64},
        std::size_t{65}, std::size_t{4096}, std::size_t{16384}, std::size_t{65536},
        std::size_t{131073}, kMegabyte, largest}) {
    if (!pair.carries(size)) continue;
    ASSERT_NO_FATAL_FAILURE(exchange(pair, size, ++seed)) << size << " bytes";
  }
}

TEST_P(Conformance, SendsWithoutInlining) {
  Pair pair(GetParam(), {.inline_limit = 0});
  for (const std::size_t size : {0, 8, 4096}) ASSERT_NO_FATAL_FAILURE(exchange(pair, size, 1));
}

TEST_P(Conformance, TokensComeBack) {
  Pair pair(GetParam());
  constexpr Token kMost = (Token{1} << 63) - 1;
  for (const Token token : {Token{0}, Token{1}, Token{1} << 62, kMost}) {
    pair.forget();
    const LocalSlice out = pair.a().slice(0, 8);
    const LocalSlice in = pair.b().slice(0, 8);
    ASSERT_TRUE(pair.accepted([&] { return pair.b().post_recv(in, token); }));
    ASSERT_TRUE(pair.accepted([&] { return pair.a().post_send(out, kMost - token, Signal::yes); }));
    ASSERT_TRUE(pair.wait(
        [&] { return !pair.a().completions().empty() && !pair.b().completions().empty(); }));
    EXPECT_EQ(pair.a().completions().front().token, kMost - token);
    EXPECT_EQ(pair.b().completions().front().token, token);
  }
}

TEST_P(Conformance, ImmediateDataTravelsBesideThePayload) {
  Pair pair(GetParam(), {}, kMegabyte);
  unsigned seed = 0;
  for (const std::size_t size : {0, 8, 4096, 200'000}) {
    if (!pair.carries(size)) continue;
    for (const std::uint32_t imm : {0u, 0xdeadbeefu, UINT32_MAX}) {
      for (const Signal signal : {Signal::yes, Signal::no}) {
        pair.forget();
        const LocalSlice out = pair.a().slice(0, size);
        const LocalSlice in = pair.b().slice(0, size);
        fill(out, ++seed);
        ASSERT_TRUE(pair.accepted([&] { return pair.b().post_recv(in, 5); }));
        ASSERT_TRUE(pair.accepted([&] { return pair.a().post_send_imm(out, imm, 6, signal); }));
        ASSERT_TRUE(pair.wait([&] {
          return !pair.b().completions().empty() &&
                 (signal == Signal::no || !pair.a().completions().empty());
        }));
        const Completion& got = pair.b().completions().front();
        EXPECT_EQ(got.kind, CompletionKind::recv_imm);
        EXPECT_EQ(got.imm, imm);
        EXPECT_EQ(got.byte_len, size);
        EXPECT_EQ(got.token, 5u);
        EXPECT_TRUE(holds(in, seed));
      }
    }
  }
}

TEST_P(Conformance, OnlySignalledSendsComplete) {
  constexpr std::size_t kMessages = 8;
  Pair pair(GetParam());
  for (const std::size_t size : {std::size_t{8}, std::size_t{32768}}) {
    if (!pair.carries(size)) continue;
    pair.forget();
    for (std::size_t i = 0; i < kMessages; ++i)
      ASSERT_TRUE(
          pair.accepted([&] { return pair.b().post_recv(pair.b().slice(i * size, size), i); }));
    for (std::size_t i = 0; i < kMessages; ++i) {
      const LocalSlice out = pair.a().slice(i * size, size);
      fill(out, static_cast<unsigned>(i));
      const Signal signal = i + 1 == kMessages ? Signal::yes : Signal::no;
      ASSERT_TRUE(pair.accepted([&] { return pair.a().post_send(out, i, signal); }));
    }
    ASSERT_TRUE(pair.wait([&] {
      return pair.b().completions().size() == kMessages && !pair.a().completions().empty();
    }));
    ASSERT_EQ(pair.a().completions().size(), 1u);
    EXPECT_EQ(pair.a().completions().front().token, kMessages - 1);
  }
}

// More than the queue holds, so that what is done at once must leave nothing behind in it.
TEST_P(Conformance, AtOnceIsDoneWithTheCallOrCompletesOnce) {
  constexpr std::size_t kDepth = 16;
  constexpr unsigned kMessages = 100;
  Pair pair(GetParam(), {.tx_depth = kDepth, .rx_depth = kDepth}, kMegabyte);
  for (const std::size_t size : {0, 8, 4096, 200'000}) {
    if (!pair.carries(size)) continue;
    for (unsigned i = 0; i < kMessages; ++i) {
      pair.forget();
      const LocalSlice out = pair.a().slice(0, size);
      const LocalSlice in = pair.b().slice(0, size);
      fill(out, i);
      Post post = Post::busy;
      ASSERT_TRUE(pair.accepted([&] { return pair.b().post_recv(in, 5); }));
      ASSERT_TRUE(
          pair.accepted([&] { return post = pair.a().post_send(out, 6, Signal::at_once); }));
      if (post == Post::done) fill(out, i + 1);  // the memory is the caller's again
      ASSERT_TRUE(pair.wait([&] {
        return pair.b().only(CompletionKind::recv) &&
               (post == Post::done || pair.a().only(CompletionKind::send));
      }));
      ASSERT_TRUE(holds(in, i)) << size << " bytes, message " << i;
      EXPECT_EQ(pair.a().completions().size(), post == Post::done ? 0u : 1u);
    }
  }
}

// Sends `total` numbered messages from one side, receives them on the other and counts each.
class Stream {
 public:
  static constexpr std::size_t kReceives = 32;
  static constexpr std::size_t kStride = 64;

  Stream(Side& from, Side& to, std::uint64_t total) : from_(from), to_(to), seen_(total, 0) {}

  void post_receives() {
    for (Token token = 0; token < kReceives; ++token) repost(token);
  }

  // As many as the queue takes now; the slots that completions gave back are used again. They need
  // not come in order: the first message may wait for a handshake while others overtake it.
  void send() {
    while (sent_ < seen_.size()) {
      const LocalSlice out = from_.slice(kSendOffset + sent_ % kSlots * kStride, sizeof sent_);
      if (in_flight_[sent_ % kSlots]) return;
      write_number(out, sent_);
      if (from_.post_send(out, sent_, Signal::yes) == Post::busy) {
        ++busy_;
        return;
      }
      in_flight_[sent_ % kSlots] = true;
      ++sent_;
    }
  }

  void take(const Completion& completion) {
    ASSERT_EQ(completion.byte_len, sizeof(std::uint64_t));
    const std::uint64_t number = read_number(to_.slice(completion.token * kStride, 8));
    ASSERT_LT(number, seen_.size());
    ++seen_[number];
    ++received_;
    repost(completion.token);
  }

  void sent_one(Token token) {
    ++completed_;
    in_flight_[token % kSlots] = false;
  }

  bool finished() const { return received_ == seen_.size() && completed_ == seen_.size(); }
  std::uint64_t sent() const { return sent_; }
  std::uint64_t busy() const { return busy_; }

  void expect_each_once() const {
    for (std::size_t i = 0; i < seen_.size(); ++i) ASSERT_EQ(seen_[i], 1) << "message " << i;
  }

 private:
  static constexpr std::size_t kSlots = 1024;
  static constexpr std::size_t kSendOffset = kReceives * kStride;

  void repost(Token token) {
    const LocalSlice in = to_.slice(token * kStride, kStride);
    ASSERT_EQ(to_.post_recv(in, token), Post::accepted);
  }

  Side& from_;
  Side& to_;
  std::vector<int> seen_;
  std::bitset<kSlots> in_flight_;
  std::uint64_t sent_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t busy_ = 0;
};

// Polls a side once and hands its completions to the stream it receives and the one it sends.
void dispatch(Side& side, Stream& sending, Stream& receiving) {
  side.forget();
  side.poll();
  for (const Completion& completion : side.completions()) {
    if (completion.kind == CompletionKind::send)
      sending.sent_one(completion.token);
    else
      ASSERT_NO_FATAL_FAILURE(receiving.take(completion));
  }
}

TEST_P(Conformance, FullQueueIsBusyAndLosesNothing) {
  Pair pair(GetParam(), {.tx_depth = 4, .rx_depth = 64});
  Stream stream(pair.a(), pair.b(), 1000);
  ASSERT_NO_FATAL_FAILURE(stream.post_receives());
  const Deadline deadline = Deadline::after(kPatience);
  while (!stream.finished() && !deadline.passed()) {
    stream.send();
    ASSERT_NO_FATAL_FAILURE(dispatch(pair.a(), stream, stream));
    ASSERT_NO_FATAL_FAILURE(dispatch(pair.b(), stream, stream));
  }
  ASSERT_TRUE(stream.finished());
  EXPECT_GT(stream.busy(), 0u);
  stream.expect_each_once();
}

TEST_P(Conformance, NoMoreThanTheDepthIsOutstanding) {
  Pair pair(GetParam(), {.tx_depth = 4, .rx_depth = 8});
  for (Token token = 0; token < 8; ++token)
    EXPECT_EQ(pair.a().post_recv(pair.a().slice(0, 64), token), Post::accepted);
  EXPECT_EQ(pair.a().post_recv(pair.a().slice(0, 64), 8), Post::busy);
}

TEST_P(Conformance, BothDirectionsAtOnce) {
  Pair pair(GetParam());
  Stream forth(pair.a(), pair.b(), 2000);
  Stream back(pair.b(), pair.a(), 2000);
  ASSERT_NO_FATAL_FAILURE(forth.post_receives());
  ASSERT_NO_FATAL_FAILURE(back.post_receives());
  const Deadline deadline = Deadline::after(kPatience);
  while (!(forth.finished() && back.finished()) && !deadline.passed()) {
    forth.send();
    back.send();
    ASSERT_NO_FATAL_FAILURE(dispatch(pair.a(), forth, back));
    ASSERT_NO_FATAL_FAILURE(dispatch(pair.b(), back, forth));
  }
  ASSERT_TRUE(forth.finished());
  ASSERT_TRUE(back.finished());
  forth.expect_each_once();
  back.expect_each_once();
}

TEST_P(Conformance, LateReceiveGetsTheMessage) {
  Pair pair(GetParam(), {}, kMegabyte);
  for (const std::size_t size : {0, 8, 4096, 200'000}) {
    if (!pair.carries(size)) continue;
    pair.forget();
    const LocalSlice out = pair.a().slice(0, size);
    const LocalSlice in = pair.b().slice(0, size);
    fill(out, 3);
    ASSERT_TRUE(pair.accepted([&] { return pair.a().post_send(out, 1, Signal::yes); }));
    for (int i = 0; i < 1000; ++i) {
      pair.a().poll();
      pair.b().poll();
    }
    EXPECT_TRUE(pair.b().completions().empty());
    ASSERT_TRUE(pair.accepted([&] { return pair.b().post_recv(in, 2); }));
    ASSERT_TRUE(pair.wait(
        [&] { return !pair.b().completions().empty() && !pair.a().completions().empty(); }));
    EXPECT_EQ(pair.b().completions().front().byte_len, size);
    EXPECT_TRUE(holds(in, 3));
  }
}

TEST_P(Conformance, TooSmallAReceiveIsAnErrorWithSizes) {
  if (!GetParam().reports_truncation) GTEST_SKIP() << "the provider reports no truncation";
  Pair pair(GetParam());
  ASSERT_NO_FATAL_FAILURE(exchange(pair, 8, 1));
  ASSERT_TRUE(pair.accepted([&] { return pair.b().post_recv(pair.b().slice(0, 16), 2); }));
  ASSERT_TRUE(
      pair.accepted([&] { return pair.a().post_send(pair.a().slice(0, 48), 1, Signal::yes); }));
  try {
    const bool arrived = pair.wait([&] { return pair.b().count(CompletionKind::recv) > 1; });
    FAIL() << "no error; arrived: " << arrived;
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().phase, Phase::measure);
    // The sender's adapter, which may be the first to tell, knows no sizes.
    const std::string text = describe(error.failure());
    const bool tells = text.find("16 bytes") != std::string::npos ||
                       text.find("longer than its receive") != std::string::npos;
    EXPECT_TRUE(tells) << text;
    EXPECT_FALSE(error.failure().cause.empty());
  }
}

TEST_P(Conformance, ClosesWithReceivesOutstanding) {
  Pair pair(GetParam());
  ASSERT_NO_FATAL_FAILURE(exchange(pair, 8, 1));
  for (Token token = 0; token < 100; ++token)
    ASSERT_TRUE(pair.accepted([&] { return pair.a().post_recv(pair.a().slice(0, 64), token); }));
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator first("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(first), end(first)));
}

// The shm provider's files are named after the process.
std::size_t shared_memory_files() {
  const std::string prefix = std::to_string(getpid()) + ":";
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    count += entry.path().filename().string().starts_with(prefix) ? 1 : 0;
  return count;
}

TEST_P(Conformance, FiftyPairsLeaveNothingBehind) {
  const auto use_one_pair = [this] {
    Pair pair(GetParam(), {}, 4096);
    ASSERT_NO_FATAL_FAILURE(exchange(pair, 8, 1));
  };
  ASSERT_NO_FATAL_FAILURE(use_one_pair());  // what a provider opens once for good
  const std::size_t descriptors = open_descriptors();
  for (int i = 0; i < 50; ++i) ASSERT_NO_FATAL_FAILURE(use_one_pair());
  EXPECT_EQ(open_descriptors(), descriptors);
  EXPECT_EQ(shared_memory_files(), 0u);
}

// One side of a ping-pong on its own thread; false when told to give up.
bool volley(Side& side, bool serves, std::size_t rounds, const std::atomic<bool>& give_up) {
  const auto until = [&](auto done) {
    while (!done()) {
      if (give_up) return false;
      side.poll();
    }
    return true;
  };
  const auto receive = [&] {
    return until([&] { return side.post_recv(side.slice(64, 64), 0) == Post::accepted; });
  };
  const auto send = [&] {
    return until(
        [&] { return side.post_send(side.slice(0, 64), 1, Signal::yes) == Post::accepted; });
  };
  const auto got = [&](CompletionKind kind, std::size_t count) {
    return until([&] { return side.count(kind) >= count; });
  };
  if (!receive()) return false;
  for (std::size_t round = 1; round <= rounds; ++round) {
    if (serves && !send()) return false;
    if (!got(CompletionKind::recv, round) || !receive()) return false;
    if (!serves && !send()) return false;
    if (!got(CompletionKind::send, round)) return false;
  }
  return true;
}

TEST_P(Conformance, TwoThreadsPlayPingPong) {
  Pair pair(GetParam());
  std::atomic<bool> give_up = false;
  auto answer =
      std::async(std::launch::async, [&] { return volley(pair.b(), false, 500, give_up); });
  auto serve = std::async(std::launch::async, [&] { return volley(pair.a(), true, 500, give_up); });
  EXPECT_EQ(serve.wait_for(kPatience), std::future_status::ready);
  EXPECT_EQ(answer.wait_for(kPatience), std::future_status::ready);
  give_up = true;
  EXPECT_TRUE(serve.get());
  EXPECT_TRUE(answer.get());
}

INSTANTIATE_TEST_SUITE_P(Transports, Conformance, testing::ValuesIn(transports()),
                         [](const auto& transport) { return transport.param.name; });

}  // namespace
}  // namespace pairbench::conformance
