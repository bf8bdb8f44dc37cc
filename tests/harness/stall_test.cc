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
  std::optional<Failure> probe(const AddressBlob& /*peer*/) const { return answer; }
  std::optional<Failure> answer;
};

struct Ignorant {};

struct StallTest : testing::Test {
  // What is thrown when a wait on `device` stalls.
  template <class Device>
  Failure told(const Device& device) {
    const Link link{interrupted, peer_sent, {}, 1s};
    try {
      asking_the_device(device, {}, link, [] { throw Stalled(kStall); });
    } catch (const Error& error) {
      return error.failure();
    }
    return {};
  }

  std::atomic<bool> interrupted{false};
  std::atomic<std::uint64_t> peer_sent{kNotAnnounced};
};

TEST_F(StallTest, TheDevicesAnswerIsTheCause) {
  const Failure failure = told(Knowing{kAnswer});
  EXPECT_EQ(failure.status, ExitStatus::peer);
  EXPECT_EQ(failure.message, "no data arrived");
  EXPECT_EQ(failure.cause, "not ready; 3 of 4 replies came");
  EXPECT_EQ(failure.hint, "look there");
}

TEST_F(StallTest, WithoutAnAnswerItIsToldAsItWas) {
  EXPECT_EQ(told(Knowing{}).cause, kStall.cause);
  EXPECT_EQ(told(Ignorant{}).cause, kStall.cause);
}

TEST_F(StallTest, WithoutAnAnswerThePeersAccountCounts) {
  interrupted = true;
  EXPECT_THROW(told(Knowing{}), LinkInterrupted);
}

TEST_F(StallTest, OtherErrorsAreNotAskedAbout) {
  const Link link{interrupted, peer_sent, {}, 1s};
  const Knowing device{kAnswer};
  const auto fails = [] { throw Error(ExitStatus::failed, Phase::measure, "wrong bytes"); };
  EXPECT_THROW(asking_the_device(device, {}, link, fails), Error);
  EXPECT_EQ(asking_the_device(device, {}, link, [] { return 7; }), 7);
}

}  // namespace
}  // namespace pairbench
