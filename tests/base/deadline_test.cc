#include "base/deadline.h"

#include <gtest/gtest.h>

namespace pairbench {
namespace {

using namespace std::chrono_literals;

TEST(Deadline, PassesInItsTime) {
  EXPECT_TRUE(Deadline::after(0ns).passed());
  EXPECT_TRUE(Deadline::after(-1s).passed());
  EXPECT_FALSE(Deadline::after(1h).passed());
  EXPECT_FALSE(Deadline::never().passed());
}

TEST(Deadline, BearsTheLongestDuration) {
  EXPECT_FALSE(Deadline::after(std::chrono::nanoseconds::max()).passed());
}

}  // namespace
}  // namespace pairbench
