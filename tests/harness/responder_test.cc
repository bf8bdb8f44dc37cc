#include "harness/responder.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "control/inproc_channel.h"
#include "control/messages.h"
#include "harness/ids.h"
#include "harness/inproc_peer.h"
#include "plan/limits.h"
#include "workload/first_message.h"

namespace pairbench {
namespace {

using namespace std::chrono_literals;

// An initiator that asks for what no honest one does.
class Liar {
 public:
  Liar() : channel_(peer_.take_channel()) {}

  void greet(std::vector<TransportSpec> transports) {
    say(wire::Hello{"0.1.0", HostFacts{}, std::move(transports),
                    to_hex(random_bytes(kMinFirstMessage)), std::nullopt});
  }

  // Up to the plan, one ping-pong of 8 bytes and one skipped case, which is accepted.
  void agree() {
    greet({parse_transport("inproc")});
    hear<wire::HelloReply>();
    say(wire::PlanOffer{plan()});
    hear<wire::PlanAccepted>();
  }

  static Plan plan() {
    Config config;
    config.transports = {parse_transport("inproc")};
    config.tests = {{pairbench::Test::pingpong}};
    config.sizes = {{8, 4096}};
    config.iterations = 1;
    config.completion = CompletionMode::yield;
    Plan plan = make_plan(config, std::vector<PairFacts>(1), {});
    plan.transports[0].max_message_size = 8;
    plan.cases[1].skipped = "too large";
    return plan;
  }

  template <class M>
  void say(const M& message) {
    say_raw(to_message(message));
  }
  void say_raw(const Message& message) { channel_->send(message); }

  template <class M>
  M hear() {
    return from_message<M>(channel_->receive(M::kPhase, Deadline::after(20s)));
  }

  // Why the responder gives up.
  std::string reason() {
    try {
      channel_->receive(Phase::plan, Deadline::after(20s));
    } catch (const Error& error) {
      EXPECT_EQ(error.failure().status, ExitStatus::peer);
      return error.what();
    }
    ADD_FAILURE() << "it did what it was asked";
    return {};
  }

 private:
  InprocPeer peer_;
  std::unique_ptr<Channel> channel_;
};

std::string reason_against(const Plan& plan) {
  Liar liar;
  liar.greet({parse_transport("inproc")});
  liar.hear<wire::HelloReply>();
  liar.say(wire::PlanOffer{plan});
  return liar.reason();
}

TEST(Responder, RefusesAPlanBeyondALimit) {
  Plan plan = Liar::plan();
  plan.transports[0].rx_depth = limits::kDepth + 1;
  EXPECT_EQ(reason_against(plan),
            "the plan has a receive depth of 16777217, the limit is 16777216");
}

TEST(Responder, RefusesAPlanThatWouldLeaveItsBuffers) {
  Plan plan = Liar::plan();
  plan.cases[1].skipped.reset();
  EXPECT_EQ(reason_against(plan),
            "the plan contradicts itself: a message is larger than the buffers");
}

TEST(Responder, GreetsNoCrowd) {
  Liar liar;
  liar.greet(std::vector<TransportSpec>(limits::kTransports + 1, parse_transport("inproc")));
  EXPECT_EQ(liar.reason(), "the peer asks for 65 transports, the limit is 64");
}

// Nothing was opened then: what it would have taken is judged by the greeting alone.
TEST(Responder, OpensNothingThatItHasNoMemoryFor) {
  auto [here, there] = make_inproc_channels("here", "there");
  ResponderOptions options;
  options.max_memory = std::uint64_t{64} << 20;
  int opened = 0;
  options.open = [&](const TransportSpec&, Role, const std::optional<std::string>&) {
    ++opened;
    return open_inproc_device();
  };
  here->send(to_message(wire::Hello{"0.1.0",
                                    HostFacts{},
                                    {parse_transport("inproc"), parse_transport("libfabric:tcp")},
                                    to_hex(random_bytes(kMinFirstMessage)),
                                    std::nullopt}));
  EXPECT_THROW(respond(*there, options), Error);
  EXPECT_EQ(opened, 0);
  try {
    here->receive(Phase::hello, Deadline::after(20s));
    ADD_FAILURE() << "it was greeted";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().message,
              "as many transports need at least 142606336 bytes of memory, this server allows "
              "67108864");
    EXPECT_EQ(error.failure().phase, Phase::hello);
    EXPECT_NE(error.failure().hint.find("--max-memory"), std::string::npos);
  }
}

TEST(Responder, EchoesNoLongType) {
  Liar liar;
  liar.agree();
  liar.say_raw({std::string(60000, 'x'), Json::object()});
  const std::string reason = liar.reason();
  EXPECT_TRUE(reason.ends_with("xxx... (60000 bytes)' is not due")) << reason;
  EXPECT_LT(reason.size(), 300u);
}

TEST(Responder, OpensWhatIsPlannedOnce) {
  for (const int transport : {-1, 1, 1 << 30}) {
    Liar liar;
    liar.agree();
    liar.say(wire::Open{0, {{transport, {}}}});
    EXPECT_EQ(
        liar.reason(),
        "the peer broke the protocol: it opens a transport twice, or one that is not planned");
  }
}

TEST(Responder, OpensWhatItWasGreetedWith) {
  Liar liar;
  liar.greet({});
  liar.hear<wire::HelloReply>();
  liar.say(wire::PlanOffer{Liar::plan()});
  liar.hear<wire::PlanAccepted>();
  liar.say(wire::Open{0, {{0, {}}}});
  EXPECT_EQ(liar.reason(),
            "the peer broke the protocol: it opens a transport that it did not greet with");
}

TEST(Responder, StartsNoCaseThatIsNotToRun) {
  for (const std::uint64_t index : {std::uint64_t{1}, std::uint64_t{2}, UINT64_MAX}) {
    Liar liar;
    liar.agree();
    liar.say(wire::StartCase{0, index});
    EXPECT_EQ(liar.reason(), "the peer broke the protocol: it starts a case that is not to run");
  }
  Liar liar;
  liar.agree();
  liar.say(wire::StartCase{0, 0});
  EXPECT_EQ(liar.reason(),
            "the peer broke the protocol: it started a case before opening its transport");
}

TEST(Responder, RunsNoBlockWithoutACase) {
  Liar liar;
  liar.agree();
  liar.say(wire::Block{1, false});
  EXPECT_EQ(liar.reason(), "the peer broke the protocol: a block without a case");
}

}  // namespace
}  // namespace pairbench
