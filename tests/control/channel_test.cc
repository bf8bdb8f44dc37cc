// What every channel promises, tried on both kinds.
#include "control/channel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "control/inproc_channel.h"
#include "control/messages.h"
#include "control/tcp_channel.h"
#include "support.h"

namespace pairbench {
namespace {

using namespace control_test;

using Ends = std::pair<std::unique_ptr<Channel>, std::unique_ptr<Channel>>;

Ends make_tcp_ends() {
  auto [first, second] = socket_pair();
  return {std::make_unique<TcpChannel>(std::move(first)),
          std::make_unique<TcpChannel>(std::move(second))};
}

Ends make_inproc_ends() {
  return make_inproc_channels("first", "second");
}

class EveryChannel : public testing::TestWithParam<Ends (*)()> {
 protected:
  EveryChannel() : ends_(GetParam()()) {}

  Channel& near() { return *ends_.first; }
  Channel& far() { return *ends_.second; }
  void destroy_far() { ends_.second.reset(); }

 private:
  Ends ends_;
};

INSTANTIATE_TEST_SUITE_P(Tcp, EveryChannel, testing::Values(make_tcp_ends));
INSTANTIATE_TEST_SUITE_P(Inproc, EveryChannel, testing::Values(make_inproc_ends));

TEST_P(EveryChannel, CarriesMessagesBothWaysInOrder) {
  for (int i = 0; i < 20; ++i) near().send({"count", {{"n", i}}});
  for (int i = 0; i < 20; ++i) EXPECT_EQ(far().receive(Phase::hello, soon()).body.at("n"), i);
  far().send(text_message("answer", "yes"));
  const Message answer = near().receive(Phase::hello, soon());
  EXPECT_EQ(answer.type, "answer");
  EXPECT_EQ(answer.body.at("text"), "yes");
  EXPECT_FALSE(near().interrupted());
}

TEST_P(EveryChannel, CarriesLargeMessages) {
  near().send(text_message("hello"));
  near().send(text_message("plan", std::string(1 << 20, 'x')));
  far().receive(Phase::hello, soon());
  EXPECT_EQ(far().receive(Phase::plan, soon()).body.at("text").get<std::string>().size(), 1u << 20);
}

TEST_P(EveryChannel, DeadlineNamesWhatWasAwaited) {
  const Failure failure = failure_of([&] { near().receive(Phase::open, Deadline::after(20ms)); });
  EXPECT_EQ(failure.status, ExitStatus::peer);
  EXPECT_EQ(failure.phase, Phase::open);
  EXPECT_NE(failure.message.find(to_string(Phase::open)), std::string::npos);
  EXPECT_EQ(failure.host, near().peer_name());
  EXPECT_FALSE(near().interrupted());
  far().send(text_message("late"));
  EXPECT_EQ(near().receive(Phase::open, soon()).type, "late");
}

TEST_P(EveryChannel, ProgressIsMadeWhileWaiting) {
  int calls = 0;
  const auto progress = [&] {
    if (++calls == 3) far().send(text_message("go"));
  };
  EXPECT_EQ(near().receive(Phase::open, soon(), progress).type, "go");
  EXPECT_GE(calls, 3);
}

TEST_P(EveryChannel, ErrorsInProgressEndTheWait) {
  EXPECT_THROW(near().receive(Phase::open, soon(), [] { throw_usage("stop"); }), Error);
  far().send(text_message("go"));
  EXPECT_EQ(near().receive(Phase::open, soon()).type, "go");
}

TEST_P(EveryChannel, InterruptWakesReceive) {
  auto waiting = std::async(std::launch::async, [&] {
    try {
      near().receive(Phase::measure, soon());
    } catch (const Interrupted& interrupted) {
      return interrupted.signal_number();
    }
    return 0;
  });
  near().interrupt(15);
  EXPECT_EQ(waiting.get(), 15);
  EXPECT_TRUE(near().interrupted());
  EXPECT_THROW(near().throw_if_interrupted(Phase::measure), Interrupted);
}

TEST_P(EveryChannel, AnInterruptedEndStillTellsItsPeer) {
  near().interrupt(2);
  near().fail({ExitStatus::peer, Phase::measure, "interrupted by the user", "nodeA", "", ""});
  const Failure failure = failure_of([&] { far().receive(Phase::measure, soon()); });
  EXPECT_EQ(failure.message, "interrupted by the user");
  EXPECT_EQ(failure.host, "nodeA");
}

TEST_P(EveryChannel, TheSignalOutweighsALostPeer) {
  destroy_far();
  ASSERT_TRUE(eventually([&] { return near().interrupted().load(); }));
  near().interrupt(2);
  EXPECT_THROW(near().receive(Phase::measure, soon()), Interrupted);
  EXPECT_THROW(near().throw_if_interrupted(Phase::measure), Interrupted);
}

TEST_P(EveryChannel, PeersFailureKeepsItsWordsAndGetsTheHostsName) {
  near().set_peer_name("nodeB");
  far().fail(
      {ExitStatus::no_device, Phase::device, "no such provider", "", "built without", "try tcp"});
  const Failure failure = failure_of([&] { near().receive(Phase::hello, soon()); });
  EXPECT_EQ(failure.status, ExitStatus::no_device);
  EXPECT_EQ(failure.phase, Phase::device);
  EXPECT_EQ(failure.message, "no such provider");
  EXPECT_EQ(failure.cause, "built without");
  EXPECT_EQ(failure.hint, "try tcp");
  EXPECT_EQ(failure.host.find("nodeB"), 0u);
  EXPECT_TRUE(near().interrupted());
  EXPECT_EQ(failure_of([&] { near().throw_if_interrupted(Phase::open); }).message,
            "no such provider");
  EXPECT_EQ(failure_of([&] { near().send(text_message("more")); }).message, "no such provider");
}

TEST_P(EveryChannel, WhatWasSentBeforeAnEndIsStillReceived) {
  far().send(text_message("last"));
  destroy_far();
  ASSERT_TRUE(eventually([&] { return near().interrupted().load(); }));
  EXPECT_EQ(near().receive(Phase::results, soon()).type, "last");
  EXPECT_THROW(near().receive(Phase::results, soon()), Error);
}

TEST_P(EveryChannel, AnOrderlyEndIsToldFromADeath) {
  destroy_far();
  const Failure failure = failure_of([&] { near().receive(Phase::warmup, soon()); });
  EXPECT_EQ(failure.status, ExitStatus::peer);
  EXPECT_EQ(failure.phase, Phase::warmup);
  EXPECT_NE(failure.message.find("ended the session"), std::string::npos);
  EXPECT_EQ(failure.host, near().peer_name());
  EXPECT_THROW(near().send(text_message("more")), Error);
}

TEST_P(EveryChannel, NothingIsThrownWhileAllIsWell) {
  near().throw_if_interrupted(Phase::measure);
  EXPECT_FALSE(near().interrupted());
}

TEST_P(EveryChannel, CountsOfSentMessagesGoPastTheQueue) {
  EXPECT_EQ(near().peer_sent(), UINT64_MAX);
  far().send(to_message(wire::Sent{42}));
  far().send(text_message("next"));
  EXPECT_EQ(near().receive(Phase::measure, soon()).type, "next");
  EXPECT_EQ(near().peer_sent(), 42u);
  near().reset_peer_sent();
  EXPECT_EQ(near().peer_sent(), UINT64_MAX);
}

TEST_P(EveryChannel, MalformedControlMessagesEndTheConversation) {
  far().send({"sent", {{"messages", -1}}});
  const Failure failure = failure_of([&] { near().receive(Phase::measure, soon()); });
  EXPECT_EQ(failure.status, ExitStatus::peer);
  EXPECT_NE(failure.message.find("'sent'"), std::string::npos);
}

TEST_P(EveryChannel, AFloodOfMessagesEndsTheConversation) {
  for (int i = 0; i < 1000; ++i) far().send(text_message("more"));
  ASSERT_TRUE(eventually([&] { return near().interrupted().load(); }));
  EXPECT_NE(failure_of([&] {
              near().throw_if_interrupted(Phase::measure);
            }).message.find("more messages"),
            std::string::npos);
}

TEST_P(EveryChannel, AnOwnerThatHangsAfterTheEndIsReported) {
  std::promise<Failure> reported;
  near().on_stuck(20ms, [&](const Failure& failure) { reported.set_value(failure); });
  destroy_far();
  auto report = reported.get_future();
  ASSERT_EQ(report.wait_for(kPatience), std::future_status::ready);
  EXPECT_NE(report.get().message.find("lost the peer"), std::string::npos);
}

TEST_P(EveryChannel, AnOwnerThatHangsAfterAnInterruptIsReported) {
  std::promise<void> reported;
  near().on_stuck(20ms, [&](const Failure&) { reported.set_value(); });
  near().interrupt(2);
  EXPECT_EQ(reported.get_future().wait_for(kPatience), std::future_status::ready);
}

TEST_P(EveryChannel, AnOwnerThatComesBackIsNotReported) {
  std::atomic<bool> reported = false;
  near().on_stuck(400ms, [&](const Failure&) { reported = true; });
  near().interrupt(2);
  for (int i = 0; i < 30; ++i) {
    std::this_thread::sleep_for(20ms);
    EXPECT_THROW(near().throw_if_interrupted(Phase::measure), Interrupted);
  }
  near().on_stuck(400ms, nullptr);
  EXPECT_FALSE(reported);
}

TEST_P(EveryChannel, AnArmedWatchHoldsNobodyUpAtTheEnd) {
  std::atomic<bool> reported = false;
  const auto start = Deadline::Clock::now();
  far().on_stuck(kPatience, [&](const Failure&) { reported = true; });
  far().interrupt(2);
  destroy_far();
  EXPECT_LT(Deadline::Clock::now() - start, kPatience);
  EXPECT_FALSE(reported);
}

TEST_P(EveryChannel, NobodyIsReportedWhileThePeerLives) {
  std::atomic<bool> reported = false;
  near().on_stuck(1ns, [&](const Failure&) { reported = true; });
  far().send(text_message("go"));
  near().receive(Phase::measure, soon());
  near().on_stuck(1ns, nullptr);
  EXPECT_FALSE(reported);
}

}  // namespace
}  // namespace pairbench
