#include "control/messages.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "control/framing.h"

namespace pairbench {
namespace {

// The way over the wire and back.
template <class T>
T through_wire(const T& value) {
  const std::string frame = encode_frame(to_message(value));
  return from_message<T>(decode_message(std::string_view(frame).substr(4)));
}

Failure failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.failure();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(Messages, HelloIsKept) {
  wire::Hello hello;
  hello.tool_version = "0.1.0";
  hello.host.hostname = "nodeA";
  hello.transports.resize(1);
  hello.transports[0].provider = "tcp;ofi_rxm";
  hello.token = "00ff";
  const wire::Hello read = through_wire(hello);
  EXPECT_EQ(read.tool_version, "0.1.0");
  EXPECT_EQ(read.host.hostname, "nodeA");
  EXPECT_EQ(read.transports, hello.transports);
  EXPECT_EQ(read.token, "00ff");
}

TEST(Messages, HelloReplyKeepsEachTransportsAnswerInItsPlace) {
  wire::HelloReply reply;
  reply.clock.ns_per_tick = 0.4;
  Capabilities capabilities;
  capabilities.opened = "libfabric:tcp+ofi_rxm/lo";
  reply.capabilities = {Failure{ExitStatus::no_device, Phase::device, "no such device", "", "", ""},
                        capabilities};
  const wire::HelloReply read = through_wire(reply);
  ASSERT_EQ(read.capabilities.size(), 2u);
  EXPECT_EQ(std::get<Failure>(read.capabilities[0]).message, "no such device");
  EXPECT_EQ(std::get<Failure>(read.capabilities[0]).status, ExitStatus::no_device);
  EXPECT_EQ(std::get<Capabilities>(read.capabilities[1]).opened, capabilities.opened);
  EXPECT_EQ(read.clock.ns_per_tick, 0.4);
}

TEST(Messages, PlanIsKeptAndItsIndicesAreChecked) {
  wire::PlanOffer offer;
  offer.plan.transports.resize(2);
  offer.plan.cases.resize(3);
  offer.plan.cases[2].transport = 1;
  EXPECT_EQ(through_wire(offer).plan.cases.at(2).transport, 1);
  for (const int wrong : {2, -1}) {
    offer.plan.cases[2].transport = wrong;
    const Failure failure = failure_of([&] { through_wire(offer); });
    EXPECT_EQ(failure.status, ExitStatus::peer);
    EXPECT_EQ(failure.phase, Phase::plan);
    EXPECT_EQ(failure.cause, "plan.cases[2].transport: the plan has no such transport");
  }
}

TEST(Messages, AddressesTravelAsIndexAndHexadecimal) {
  wire::Open open;
  open.repeat = 4;
  open.addresses = {{0, {std::byte{0x00}, std::byte{0xab}, std::byte{0xff}}}, {1, {}}};
  EXPECT_EQ(to_message(open).body.dump(), R"({"repeat":4,"addresses":[[0,"00abff"],[1,""]]})");
  const wire::Open read = through_wire(open);
  EXPECT_EQ(read.repeat, 4);
  EXPECT_EQ(read.addresses, open.addresses);
  EXPECT_EQ(through_wire(wire::Opened{open.addresses}).addresses, open.addresses);
}

TEST(Messages, MalformedAddressesAreNamed) {
  const auto cause = [](const Json& address) {
    const Message message{"opened", {{"addresses", Json::array({address})}}};
    return failure_of([&] { from_message<wire::Opened>(message); }).cause;
  };
  EXPECT_EQ(cause(Json::array({0, "abc"})), "addresses[0]: an even number of digits is needed");
  EXPECT_EQ(cause(Json::array({0, "zz"})), "addresses[0]: hexadecimal digits are needed");
  EXPECT_EQ(cause(Json::array({0})), "addresses[0]: a pair of transport and address is needed");
  EXPECT_EQ(cause("00"), "addresses[0]: a pair of transport and address is needed");
}

TEST(Messages, MeasuringMessagesAreKept) {
  EXPECT_EQ(through_wire(wire::StartCase{3, 17}).case_index, 17u);
  EXPECT_EQ(through_wire(wire::Block{UINT64_MAX, true}).messages, UINT64_MAX);
  EXPECT_TRUE(through_wire(wire::Block{0, true}).warmup);
  EXPECT_EQ(through_wire(wire::Sent{12}).messages, 12u);
  wire::BlockResult result;
  result.bytes_received = std::uint64_t{1} << 60;
  EXPECT_EQ(through_wire(result).interval_ns, std::nullopt);
  result.interval_ns = 1234.567;
  EXPECT_EQ(through_wire(result).interval_ns, 1234.567);
  EXPECT_EQ(through_wire(result).bytes_received, std::uint64_t{1} << 60);
}

TEST(Messages, CountersKeepUnreadableApartFromZero) {
  wire::CaseReport report;
  report.counters.messages_sent = 5;
  report.counters.busy_posts = 2;
  report.counters.cpu = 3;
  report.counters.minor_page_faults = 0;
  EXPECT_EQ(through_wire(report).counters, report.counters);
}

TEST(Messages, TheClockOfAPlanIsKeptAndMayBeAbsent) {
  wire::PlanAccepted accepted;
  EXPECT_FALSE(through_wire(accepted).clock.has_value());
  accepted.clock.emplace().source = ClockSource::tsc;
  EXPECT_EQ(through_wire(accepted).clock.value_or(ClockScale{}).source, ClockSource::tsc);
}

TEST(Messages, FailureIsKept) {
  const Failure failure{
      ExitStatus::no_device, Phase::open, "cannot register", "nodeB", "ulimit", "raise it"};
  EXPECT_EQ(describe(through_wire(wire::FailureNotice{failure}).failure), describe(failure));
}

TEST(Messages, MessagesWithoutContentAreEmptyObjects) {
  EXPECT_EQ(to_message(wire::Finish{}).body, Json::object());
  through_wire(wire::PlanAccepted{});
  through_wire(wire::Ready{});
  through_wire(wire::EndCase{});
  through_wire(wire::CloseRepeat{});
  through_wire(wire::Closed{});
  through_wire(wire::Finish{});
}

TEST(Messages, AnotherMessageThanTheOneDueIsNamed) {
  const Failure failure =
      failure_of([] { from_message<wire::PlanAccepted>(to_message(wire::Ready{})); });
  EXPECT_EQ(failure.status, ExitStatus::peer);
  EXPECT_NE(failure.message.find("'ready'"), std::string::npos);
  EXPECT_NE(failure.message.find("'plan_accepted'"), std::string::npos);
}

TEST(Messages, WhatAPeerSaysIsShortenedInErrors) {
  const std::string long_text(60000, 'x');
  const auto due = [&] { from_message<wire::Ready>({long_text, Json::object()}); };
  EXPECT_LT(failure_of(due).message.size(), 400u);
  Failure told;
  told.status = ExitStatus::peer;
  told.message = told.host = told.cause = told.hint = long_text;
  EXPECT_LT(describe(through_wire(wire::FailureNotice{told}).failure).size(), 5u * 4096);
  wire::HelloReply reply;
  reply.capabilities = {told};
  const Failure read = std::get<Failure>(through_wire(reply).capabilities.at(0));
  EXPECT_LT(describe(read).size(), 5u * 4096);
  Json counters = wire::CaseReport{}.counters;
  counters["nic"] = {{long_text, -1}};
  const auto member = [&] {
    from_message<wire::CaseReport>({"case_result", {{"counters", counters}}});
  };
  EXPECT_LT(failure_of(member).cause.size(), 400u);
}

TEST(Messages, MalformedContentNamesMessageAndMember) {
  const Failure failure = failure_of([] {
    from_message<wire::Block>({"block", {{"messages", -1}, {"warmup", false}}});
  });
  EXPECT_EQ(failure.status, ExitStatus::peer);
  EXPECT_EQ(failure.phase, Phase::measure);
  EXPECT_NE(failure.message.find("'block'"), std::string::npos);
  EXPECT_EQ(failure.cause.find("messages: "), 0u);
}

TEST(Messages, UnknownMembersAreIgnored) {
  const Message message{"sent", {{"messages", 3}, {"invented_later", {1, 2}}}};
  EXPECT_EQ(from_message<wire::Sent>(message).messages, 3u);
}

}  // namespace
}  // namespace pairbench
