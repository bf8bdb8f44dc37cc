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

TEST(Waiter, InterruptIsSeenAtTheNextEmptyPoll) {
  std::atomic<bool> interrupted{true};
  std::atomic<std::uint64_t> peer_sent{kNotAnnounced};
  const Link link{interrupted, peer_sent, {}, 1h, false};
  Waiter waiter(link);
  EXPECT_THROW(waiter.idle(0, account), LinkInterrupted);
}

}  // namespace
}  // namespace pairbench
