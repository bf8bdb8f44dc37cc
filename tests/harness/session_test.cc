#include "harness/session.h"

#include <gtest/gtest.h>

#include <thread>

#include "control/inproc_channel.h"
#include "plan/limits.h"
#include "workload/waiter.h"

namespace pairbench {
namespace {

using namespace std::chrono_literals;

TEST(InContext, NamesPhaseAndTransportOnce) {
  TransportPlan transport;
  transport.spec = parse_transport("libfabric:efa");
  try {
    in_context(Phase::first_message, transport,
               [] { throw Error(ExitStatus::peer, Phase::measure, "no data arrived in 10s"); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().phase, Phase::first_message);
    EXPECT_EQ(error.failure().message, "no data arrived in 10s (first message, libfabric:efa)");
    EXPECT_NE(error.failure().hint.find("security group"), std::string::npos);
  }
}

TEST(TellingThePeer, TheOtherEndThrowsWhatFailedHere) {
  auto [here, there] = make_inproc_channels("here", "there");
  EXPECT_THROW(
      telling_the_peer(*here, [] { throw Error(ExitStatus::failed, Phase::open, "no memory"); }),
      Error);
  try {
    there->receive(Phase::open, Deadline::after(5s));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().message, "no memory");
    EXPECT_EQ(error.failure().status, ExitStatus::failed);
  }
}

TEST(TellingThePeer, AnInterruptedLinkIsExplainedByTheChannel) {
  auto [here, there] = make_inproc_channels("here", "there");
  there->fail({ExitStatus::failed, Phase::measure, "the disk is on fire", "", "", ""});
  while (!here->interrupted().load()) std::this_thread::sleep_for(1ms);
  try {
    telling_the_peer(*here, [] { throw LinkInterrupted(); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().message, "the disk is on fire");
  }
}

// A provider complains first, the control connection shows a moment later that the peer has died.
TEST(TellingThePeer, ALostPeerExplainsAnErrorOfTheDataPath) {
  auto [here, there] = make_inproc_channels("here", "there");
  std::thread dying([&, peer = std::move(there)]() mutable {
    std::this_thread::sleep_for(50ms);
    peer.reset();
  });
  try {
    telling_the_peer(*here,
                     [] { throw Error(ExitStatus::failed, Phase::measure, "completion error 5"); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.failure().message.find("lost the peer"), std::string::npos) << error.what();
  }
  dying.join();
}

TEST(LongestBlock, IsGenerousToSlowLinksAndEndsAtTheLimitOfASession) {
  Case timed;
  timed.duration = 100ms;
  timed.size_bytes = 1000;
  timed.window = 4;
  EXPECT_EQ(longest_block(timed, 0, 1s), 10 * 110ms + 4 * 100ms + time_to_answer(1s));
  EXPECT_EQ(longest_block(timed, 3, 1s), 3 * 1100ms + time_to_answer(1s));
  EXPECT_EQ(longest_block(timed, UINT64_MAX, 1s), limits::kSession);
  EXPECT_EQ(longest_block(timed, 1, std::chrono::nanoseconds::max()), limits::kSession);
}

TEST(TimedBlock, LimitsTheLinkWhileItLives) {
  auto [here, there] = make_inproc_channels("here", "there");
  Link link = make_link(*here, Plan{});
  {
    const TimedBlock timed(link, Case{}, 1);
    EXPECT_EQ(link.limit.longest, longest_block(Case{}, 1, link.peer_timeout));
    EXPECT_LE(link.limit.end.when(), Deadline::after(link.limit.longest).when());
  }
  EXPECT_EQ(link.limit.end.when(), Deadline::never().when());
}

TEST(StreamTime, AddsTheRampAndLeavesIterationsAlone) {
  Case c;
  c.duration = 100ms;
  EXPECT_EQ(stream_time(c), 110ms);
  c.duration = 0ms;
  EXPECT_EQ(stream_time(c), 0ms);
}

}  // namespace
}  // namespace pairbench
