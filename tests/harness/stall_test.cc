#include "harness/stall.h"

#include <gtest/gtest.h>

#include <atomic>
#include <utility>

namespace pairbench {
namespace {

using namespace std::chrono_literals;

Failure told_with(std::string cause, std::string hint) {
  Failure failure;
  failure.status = ExitStatus::peer;
  failure.phase = Phase::measure;
  failure.message = "no data arrived";
  failure.cause = std::move(cause);
  failure.hint = std::move(hint);
  return failure;
}

const Failure kStall = told_with("3 of 4 replies came", "");
const Failure kAnswer = told_with("not ready", "look there");

struct Knowing {
  Probe probe(const AddressBlob& /*peer*/) const { return answer; }
  Probe answer;
};

const Knowing kKnowing{{false, kAnswer}};
const Knowing kReached{{true, {}}};
const Knowing kNotAnswered{};

struct Ignorant {};

struct StallTest : testing::Test {
  // What is thrown when a wait on `device` stalls.
  template <class Device>
  Failure told(const Device& device) {
    try {
      asking_the_device(device, {}, link, [] { throw Stalled(kStall); });
    } catch (const Error& error) {
      return error.failure();
    }
    return {};
  }

  std::atomic<bool> interrupted{false};
  std::atomic<std::uint64_t> peer_sent{kNotAnnounced};
  Link link = [this] {
    Link made{interrupted, peer_sent, {}, 1s};
    made.peer_name = "hostb";
    return made;
  }();
};

TEST_F(StallTest, TheDevicesAnswerIsTheCause) {
  const Failure failure = told(kKnowing);
  EXPECT_EQ(failure.status, ExitStatus::peer);
  EXPECT_EQ(failure.message, "no data arrived");
  EXPECT_EQ(failure.cause, "a message to hostb met not ready; 3 of 4 replies came");
  EXPECT_EQ(failure.hint, "look there");
}

TEST_F(StallTest, AMessageThatArrivesSaysSo) {
  const Failure failure = told(kReached);
  EXPECT_EQ(failure.cause, "a message to hostb arrived at its device; 3 of 4 replies came");
  EXPECT_NE(failure.hint, "");
}

TEST_F(StallTest, WithoutAnAnswerItIsToldAsItWas) {
  EXPECT_EQ(told(kNotAnswered).cause, kStall.cause);
  EXPECT_EQ(told(Ignorant{}).cause, kStall.cause);
}

TEST_F(StallTest, WithoutAFailureThePeersAccountCounts) {
  interrupted = true;
  EXPECT_THROW(told(kNotAnswered), LinkInterrupted);
  EXPECT_THROW(told(kReached), LinkInterrupted);
  EXPECT_EQ(told(kKnowing).hint, "look there");
}

TEST_F(StallTest, OtherErrorsAreNotAskedAbout) {
  const auto fails = [] { throw Error(ExitStatus::failed, Phase::measure, "wrong bytes"); };
  EXPECT_THROW(asking_the_device(kKnowing, {}, link, fails), Error);
  EXPECT_EQ(asking_the_device(kKnowing, {}, link, [] { return 7; }), 7);
}

}  // namespace
}  // namespace pairbench
