// A point in time after which a wait gives up.
#pragma once

#include <chrono>

namespace pairbench {

class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  // A duration beyond the clock's end is for ever.
  static Deadline after(std::chrono::nanoseconds duration) {
    const Clock::time_point now = Clock::now();
    return duration > Clock::time_point::max() - now ? never() : Deadline(now + duration);
  }
  static Deadline never() { return Deadline(Clock::time_point::max()); }

  bool passed() const { return Clock::now() >= when_; }
  Clock::time_point when() const { return when_; }

 private:
  explicit Deadline(Clock::time_point when) : when_(when) {}
  Clock::time_point when_;
};

}  // namespace pairbench
