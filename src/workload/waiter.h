// Waiting with an eye on the world: what a measuring loop does when a poll came back empty.
#pragma once

#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <string>

#include "base/error.h"
#include "workload/link.h"

namespace pairbench {

// The link was interrupted: the peer is lost, failed, or the user stops the run. Who set the flag
// knows why.
class LinkInterrupted : public std::exception {
 public:
  explicit LinkInterrupted(Phase phase = Phase::measure) : phase_(phase) {}
  Phase phase() const noexcept { return phase_; }  // of the wait
  const char* what() const noexcept override { return "interrupted while waiting for the peer"; }

 private:
  Phase phase_;
};

// Nothing moved for the peer timeout.
class Stalled : public Error {
 public:
  using Error::Error;
};

// One per endpoint, used by its thread.
class Waiter {
 public:
  // An empty poll looks at the flag; every so many of them at the clock too.
  static constexpr std::uint32_t kClockEvery = 1u << 10;

  // A look at the flag is cheap; every so many of them are one at the clock too.
  static constexpr std::uint32_t kLooksPerClock = 1u << 6;

  // How long a sleeping loop may go without a look at the flag.
  static constexpr std::chrono::milliseconds kLongestSleep{10};

  explicit Waiter(const Link& link)
      : link_(link), interrupted_(link.interrupted), yield_(link.yield), sleeps_(link.sleep) {}

  bool sleeps() const { return sleeps_; }

  // Called after an empty poll; `completions` counts all that was ever polled, so that a change is
  // progress. Throws LinkInterrupted; Stalled (an Error(peer)) once nothing moved for the peer
  // timeout, with the cause that `account()` then tells; Error(peer) once the block's time is over.
  template <class Account>
  void idle(std::uint64_t completions, const Account& account) {
    if (yield_) sched_yield();
    if (--until_clock_ != 0 && !sleeps_ && !interrupted()) [[likely]]
      return;
    until_clock_ = kClockEvery;
    if (stalled(completions)) give_up(account());
  }

  // Called now and then by a loop whose polls may never come back empty. Throws LinkInterrupted, or
  // Error(peer) once the block's time is over.
  void look_up() {
    if (interrupted() || ++looks_ % kLooksPerClock == 0) require_time();
  }

  // What errors call the present wait.
  void set_phase(Phase phase) { phase_ = phase; }
  Phase phase() const { return phase_; }

  // Starts the timeout anew: a wait begins.
  void restart();

 private:
  bool interrupted() const { return interrupted_.load(std::memory_order_relaxed); }
  bool stalled(std::uint64_t completions);
  void require_time() const;
  [[noreturn]] void give_up(std::string cause) const;

  const Link& link_;
  const std::atomic<bool>& interrupted_;
  bool yield_;
  bool sleeps_;
  std::uint32_t until_clock_ = kClockEvery;
  std::uint32_t looks_ = 0;
  std::uint64_t seen_ = 0;
  std::chrono::steady_clock::time_point moved_ = std::chrono::steady_clock::now();
  Phase phase_ = Phase::open;
};

}  // namespace pairbench
