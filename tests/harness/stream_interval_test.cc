#include "harness/stream_interval.h"

#include <gtest/gtest.h>

#include <vector>

namespace pairbench {
namespace {

using namespace std::chrono_literals;

// A message of 100 bytes each 10 ns.
std::vector<Checkpoint> steady_stream(std::uint64_t messages) {
  std::vector<Checkpoint> stamps;
  for (std::uint64_t n = 1; n <= messages; ++n) stamps.push_back({1000 + 10 * n, n});
  return stamps;
}

Case stream_case() {
  Case c;
  c.test = Test::stream;
  c.size_bytes = 100;
  c.window = 64;
  return c;
}

TEST(StreamInterval, IterationsCountFromTheFirstStampToTheLast) {
  Case c = stream_case();
  c.iterations = 500;
  const auto interval = stream_interval(c, steady_stream(500), 500, ClockScale{});
  EXPECT_EQ(interval.messages, 499u);
  EXPECT_EQ(interval.bytes, 49'900u);
  EXPECT_DOUBLE_EQ(*interval.ns, 4990);
}

TEST(StreamInterval, FewWindowsAreNoSteadyStream) {
  Case c = stream_case();
  c.window = 64;
  c.iterations = 255;
  EXPECT_FALSE(stream_interval(c, steady_stream(255), 255, ClockScale{}).steady);
  c.iterations = 256;
  EXPECT_TRUE(stream_interval(c, steady_stream(256), 256, ClockScale{}).steady);
}

TEST(StreamInterval, OneMessageHasNoInterval) {
  Case c = stream_case();
  c.iterations = 1;
  const auto interval = stream_interval(c, steady_stream(1), 1, ClockScale{});
  EXPECT_FALSE(interval.ns);
  EXPECT_EQ(interval.messages, 0u);
}

TEST(StreamInterval, DurationLeavesOutRampAndLastWindow) {
  Case c = stream_case();
  c.duration = 10us;  // ramp: 1 us, 100 messages
  const auto interval = stream_interval(c, steady_stream(1000), 1000, ClockScale{});
  EXPECT_EQ(interval.messages, 1000u - 64 - 101);
  EXPECT_DOUBLE_EQ(*interval.ns, 10.0 * static_cast<double>(interval.messages));
}

TEST(StreamInterval, TooShortForASteadyPartFallsBackOnAll) {
  Case c = stream_case();
  c.duration = 1s;
  const auto interval = stream_interval(c, steady_stream(20), 20, ClockScale{});
  EXPECT_EQ(interval.messages, 19u);
}

}  // namespace
}  // namespace pairbench
