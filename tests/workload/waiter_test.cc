#include "workload/waiter.h"

#include <gtest/gtest.h>

#include <atomic>

namespace pairbench {
namespace {

using namespace std::chrono_literals;

std::string account() {
  return "all is quiet";
}

TEST(Waiter, GivesUpWhenNothingMovesForTheTimeout) {
  std::atomic<bool> interrupted{false};
  std::atomic<std::uint64_t> peer_sent{kNotAnnounced};
  const Link link{interrupted, peer_sent, {}, 20ms, true};
  Waiter waiter(link);
  waiter.set_phase(Phase::first_message);
  const auto start = std::chrono::steady_clock::now();
  try {
    for (;;) waiter.idle(3, account);
  } catch (const Error& error) {
    EXPECT_GE(std::chrono::steady_clock::now() - start, 20ms);
    EXPECT_EQ(error.failure().status, ExitStatus::peer);
    EXPECT_EQ(error.failure().phase, Phase::first_message);
    EXPECT_EQ(error.failure().cause, "all is quiet");
    EXPECT_NE(std::string(error.what()).find("20ms"), std::string::npos) << error.what();
  }
}

TEST(Waiter, ProgressExtendsTheWait) {
  std::atomic<bool> interrupted{false};
  std::atomic<std::uint64_t> peer_sent{kNotAnnounced};
  const Link link{interrupted, peer_sent, {}, 300ms, false};
  Waiter waiter(link);
  const auto end = std::chrono::steady_clock::now() + 600ms;
  std::uint64_t completions = 0;
  while (std::chrono::steady_clock::now() < end) {
    ++completions;
    for (std::uint32_t i = 0; i < 2 * Waiter::kClockEvery; ++i) waiter.idle(completions, account);
  }
}

TEST(Waiter, ABlocksTimeEndsAWaitThatMoves) {
  std::atomic<bool> interrupted{false};
  std::atomic<std::uint64_t> peer_sent{kNotAnnounced};
  Link link{interrupted, peer_sent, {}, 1h, false};
  link.limit = {Deadline::after(10ms), 10ms};
  Waiter waiter(link);
  waiter.set_phase(Phase::measure);
  try {
    for (std::uint64_t completions = 0;; ++completions) waiter.idle(completions, account);
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().status, ExitStatus::peer);
    EXPECT_EQ(error.failure().phase, Phase::measure);
    EXPECT_EQ(error.failure().message, "a block has not ended in 10ms, the longest it may take");
    EXPECT_NE(error.failure().hint, "");
  }
}

TEST(Waiter, ALookUpSeesTheInterruptAtOnceAndTheTimeSoon) {
  std::atomic<bool> interrupted{false};
  std::atomic<std::uint64_t> peer_sent{kNotAnnounced};
  Link link{interrupted, peer_sent, {}, 1h, false};
  Waiter waiter(link);
  for (std::uint32_t i = 0; i < 2 * Waiter::kLooksPerClock; ++i) waiter.look_up();
  link.limit = {Deadline::after(0ms), 0ms};
  const auto look_up_often = [&] {
    for (std::uint32_t i = 0; i < Waiter::kLooksPerClock; ++i) waiter.look_up();
  };
  EXPECT_THROW(look_up_often(), Error);
  interrupted = true;
  EXPECT_THROW(waiter.look_up(), LinkInterrupted);
}

TEST(Waiter, InterruptIsSeenAtTheNextEmptyPoll) {
  std::atomic<bool> interrupted{true};
  std::atomic<std::uint64_t> peer_sent{kNotAnnounced};
  const Link link{interrupted, peer_sent, {}, 1h, false};
  Waiter waiter(link);
  EXPECT_THROW(waiter.idle(0, account), LinkInterrupted);
}

}  // namespace
}  // namespace pairbench
