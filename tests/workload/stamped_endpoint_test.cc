#include "workload/stamped_endpoint.h"

#include <gtest/gtest.h>

#include <array>

namespace pairbench {
namespace {

struct ManualClock {
  Ticks* time;
  Ticks now() const { return *time; }
};

// Its calls take as long as the test says; every third poll brings something.
struct SlowEndpoint {
  Ticks* time;
  int polls = 0;

  AddressBlob address() { return {}; }
  void connect(const AddressBlob&) {}
  Post spend(Ticks ticks) {
    *time += ticks;
    return Post::accepted;
  }
  Post post_send(LocalSlice, Token, Signal) { return spend(7); }
  Post post_send_imm(LocalSlice, std::uint32_t, Token, Signal) { return spend(11); }
  Post post_recv(LocalSlice, Token) { return spend(13); }
  template <class Take>
  std::size_t poll(std::size_t /*most*/, Take&& take) {
    *time += 5;
    if (++polls % 3 != 0) return 0;
    take(Completion{});
    return 1;
  }
};

TEST(StampedEndpoint, GivesEachCallItsOwnTimeAndEmptyPollsToNone) {
  Ticks time = 1000;
  SlowEndpoint slow{&time};
  const ManualClock clock{&time};
  StampedEndpoint endpoint(slow, clock);
  int taken = 0;
  const auto slowly = [&](const Completion&) {
    ++taken;
    time += 17;  // the caller's, not the poll's
  };
  EXPECT_EQ(endpoint.post_send({}, 0, Signal::yes), Post::accepted);
  EXPECT_EQ(endpoint.post_send_imm({}, 0, 0, Signal::yes), Post::accepted);
  EXPECT_EQ(endpoint.post_recv({}, 0), Post::accepted);
  EXPECT_EQ(endpoint.poll(1, slowly), 0u);
  EXPECT_EQ(endpoint.poll(1, slowly), 0u);
  EXPECT_EQ(endpoint.poll(1, slowly), 1u);
  EXPECT_EQ(taken, 1);
  EXPECT_EQ(endpoint.ticks().post_send, 18u);
  EXPECT_EQ(endpoint.ticks().post_recv, 13u);
  EXPECT_EQ(endpoint.ticks().poll, 5u);
  EXPECT_EQ(time, 1000 + 18 + 13 + 15 + 17u);
}

}  // namespace
}  // namespace pairbench
