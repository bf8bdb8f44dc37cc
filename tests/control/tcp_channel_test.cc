#include "control/tcp_channel.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <csignal>
#include <memory>
#include <optional>
#include <string>

#include "base/descriptor_tables.h"
#include "control/framing.h"
#include "control/messages.h"
#include "control/worker.h"
#include "support.h"

namespace pairbench {
namespace {

using namespace control_test;

std::string lost_how(TcpChannel& channel) {
  const Failure failure = failure_of([&] { channel.receive(Phase::measure, soon()); });
  EXPECT_EQ(failure.status, ExitStatus::peer);
  EXPECT_EQ(failure.phase, Phase::measure);
  EXPECT_EQ(failure.host, channel.peer_name());
  EXPECT_TRUE(channel.interrupted());
  return failure.message;
}

bool mentions(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

int tcp_option(int socket, int level, int name) {
  int value = -1;
  socklen_t length = sizeof value;
  getsockopt(socket, level, name, &value, &length);
  return value;
}

// A process with a channel of its own at the other end.
struct PeerProcess {
  explicit PeerProcess(Fd socket)
      : worker({CONTROL_HELPER, "session", std::to_string(socket.get())}, socket.get()) {}

  Worker worker;
};

TEST(TcpChannel, NamesItsPeerByAddressThenByHost) {
  auto [mine, theirs] = socket_pair();
  const std::string address = remote_address(mine.get());
  TcpChannel channel(std::move(mine));
  EXPECT_EQ(address.find("127.0.0.1:"), 0u);
  EXPECT_EQ(channel.peer_name(), address);
  channel.set_peer_name("nodeB");
  EXPECT_EQ(channel.peer_name(), "nodeB (" + address + ")");
}

// A channel and the other end of its connection, opened after it: none of the channel's threads,
// which keep the descriptors that they find, has it.
std::pair<std::unique_ptr<TcpChannel>, Fd> channel_and_socket() {
  const Fd listener = listen_on("127.0.0.1", 0);
  auto channel = std::make_unique<TcpChannel>(connect_raw("127.0.0.1", local_port(listener.get())));
  return {std::move(channel), accept_raw(listener)};
}

TEST(TcpChannel, PeerThatClosesWithoutAGoodbyeIsLostAtOnce) {
  auto [channel, theirs] = channel_and_socket();
  theirs.reset();
  EXPECT_TRUE(mentions(lost_how(*channel), "without a goodbye"));
}

TEST(TcpChannel, PeerThatResetsIsLostAtOnce) {
  auto [channel, theirs] = channel_and_socket();
  const linger at_once{1, 0};
  setsockopt(theirs.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  theirs.reset();
  EXPECT_TRUE(mentions(lost_how(*channel), "reset"));
}

// While threads share a table of descriptors, the kernel counts references in every system call of
// the measuring thread.
TEST(TcpChannel, ItsThreadsHaveDescriptorsOfTheirOwn) {
  if (!own_descriptors_are_possible())
    GTEST_SKIP() << "unshare(CLONE_FILES) is refused, or ThreadSanitizer is here";
  const int before = threads_that_share();
  auto [mine, theirs] = socket_pair();
  const TcpChannel channel(std::move(mine));
  EXPECT_EQ(threads_that_share(), before);
}

TEST(TcpChannel, PeerThatIsKilledIsLostAtOnce) {
  auto [mine, theirs] = socket_pair();
  TcpChannel channel(std::move(mine));
  PeerProcess peer(std::move(theirs));
  channel.send(text_message("echo", "alive"));
  EXPECT_EQ(channel.receive(Phase::measure, soon()).body.at("text"), "alive");
  peer.worker.signal(SIGKILL);
  lost_how(channel);
}

TEST(TcpChannel, PeerThatIsStoppedIsLostAfterTheTimeout) {
  auto [mine, theirs] = socket_pair();
  TcpChannel channel(std::move(mine), 50ms);
  PeerProcess peer(std::move(theirs));
  channel.send(text_message("echo", "alive"));
  channel.receive(Phase::measure, soon());
  channel.set_peer_timeout(1500ms);
  peer.worker.signal(SIGSTOP);
  EXPECT_TRUE(mentions(lost_how(channel), "no sign of life for 1.5s"));
}

TEST(TcpChannel, SilenceIsNotJudgedBeforeThreeHeartbeats) {
  auto [mine, theirs] = socket_pair();
  TcpChannel channel(std::move(mine), 100ms);
  channel.set_peer_timeout(1ns);
  EXPECT_TRUE(mentions(lost_how(channel), "no sign of life for 300ms"));
}

TEST(TcpChannel, HeartbeatsKeepASilentPeerAlive) {
  auto [mine, theirs] = socket_pair();
  TcpChannel channel(std::move(mine), 50ms);
  TcpChannel peer(std::move(theirs), 50ms);
  channel.set_peer_timeout(400ms);
  EXPECT_TRUE(mentions(
      failure_of([&] { channel.receive(Phase::measure, Deadline::after(1500ms)); }).message,
      "no answer in 1.5s"));
  EXPECT_FALSE(channel.interrupted());
}

TEST(TcpChannel, SlowFramesAreASignOfLife) {
  auto [mine, theirs] = socket_pair();
  TcpChannel channel(std::move(mine), 50ms);
  channel.set_peer_timeout(500ms);
  const std::string frame = encode_frame(text_message("slow", std::string(20, 'x')));
  for (const char byte : frame) {
    ASSERT_TRUE(write_raw(theirs, {&byte, 1}));
    std::this_thread::sleep_for(30ms);
  }
  EXPECT_EQ(channel.receive(Phase::measure, soon()).type, "slow");
}

TEST(TcpChannel, FrameOverTheCapEndsTheConversation) {
  auto [mine, theirs] = socket_pair();
  TcpChannel channel(std::move(mine));
  write_raw(theirs, std::string("\x01\x00\x00\x01", 4));
  EXPECT_TRUE(mentions(lost_how(channel), "16777217 bytes is over the limit of 65536"));
}

TEST(TcpChannel, TheCapIsSmallUntilTheGreeting) {
  const std::string large = encode_frame(text_message("plan", std::string(kMaxHelloFrame, 'x')));
  for (const bool greeted : {false, true}) {
    auto [mine, theirs] = socket_pair();
    TcpChannel channel(std::move(mine));
    write_raw(theirs, encode_frame(to_message(wire::Heartbeat{})));
    if (greeted) {
      write_raw(theirs, encode_frame(text_message("hello")));
      channel.receive(Phase::hello, soon());
    }
    write_raw(theirs, large);
    if (greeted)
      EXPECT_EQ(channel.receive(Phase::plan, soon()).type, "plan");
    else
      EXPECT_TRUE(mentions(lost_how(channel), "over the limit of 65536"));
  }
}

TEST(TcpChannel, AnotherProtocolIsNamedAsSuch) {
  auto [mine, theirs] = socket_pair();
  TcpChannel channel(std::move(mine));
  write_raw(theirs, "SSH-2.0-OpenSSH_9.2\r\n");
  EXPECT_TRUE(mentions(lost_how(channel), "does not speak this protocol"));
}

TEST(TcpChannel, FailureArrivesThoughItsSenderExitsRightAfter) {
  auto [mine, theirs] = socket_pair();
  TcpChannel channel(std::move(mine));
  PeerProcess peer(std::move(theirs));
  channel.send(text_message("fail_and_exit", "no memory"));
  // Unread bytes at the peer turn its close into a reset.
  for (int i = 0; i < 20; ++i) {
    try {
      channel.send(text_message("noise", std::string(10'000, 'x')));
    } catch (const Error&) {
      break;
    }
  }
  const Failure failure = failure_of([&] { channel.receive(Phase::open, soon()); });
  EXPECT_EQ(failure.message, "no memory");
  EXPECT_EQ(failure.host, channel.peer_name());
}

TEST(TcpChannel, WhatWaitsUnreadIsBoundedInBytesToo) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "reading so much text takes minutes below ThreadSanitizer";
#endif
  auto [mine, theirs] = socket_pair();
  TcpChannel channel(std::move(mine));
  channel.set_peer_timeout(120s);  // reading so much text is slow under a sanitizer
  const auto text = [](std::size_t size) {
    return encode_frame(text_message("bulk", std::string(size, 'x')));
  };
  // Read one by one, a hundred would be no matter.
  for (const std::size_t size : {100u, 9u << 20, 9u << 20}) {
    ASSERT_TRUE(write_raw(theirs, text(size)));
    EXPECT_EQ(channel.receive(Phase::measure, soon()).type, "bulk");
  }
  ASSERT_TRUE(write_raw(theirs, text(9 << 20) + text(9 << 20)));
  ASSERT_TRUE(eventually([&] { return channel.interrupted().load(); }));
  EXPECT_EQ(channel.receive(Phase::measure, soon()).type, "bulk");
  EXPECT_NE(
      failure_of([&] { channel.receive(Phase::measure, soon()); }).message.find("more messages"),
      std::string::npos);
}

TEST(TcpChannel, SaysGoodbyeAndCloses) {
  auto [mine, theirs] = socket_pair();
  std::optional<TcpChannel> channel(std::in_place, std::move(mine));
  channel->send(text_message("last"));
  channel.reset();
  EXPECT_EQ(read_to_end(theirs), encode_frame(text_message("last")) + encode_frame({"bye", {}}));
}

TEST(TcpChannel, AStoppedReaderDoesNotHoldUpTheDestructor) {
  auto [mine, theirs] = socket_pair();
  Deadline::Clock::time_point start;
  {
    TcpChannel channel(std::move(mine));
    channel.set_peer_timeout(120s);  // writing so much text is slow under a sanitizer
    for (int i = 0; i < 2; ++i) channel.send(text_message("bulk", std::string(8 << 20, 'x')));
    start = Deadline::Clock::now();
  }
  EXPECT_LT(Deadline::Clock::now() - start, kPatience);
}

TEST(TcpChannel, SendsAtOnceAndLetsTheKernelNoticeALostHost) {
  auto [mine, theirs] = socket_pair();
  const int socket = mine.get();
  TcpChannel channel(std::move(mine));
  EXPECT_EQ(tcp_option(socket, IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_EQ(tcp_option(socket, SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(tcp_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT), 10'000);
  channel.set_peer_timeout(30s);
  EXPECT_TRUE(
      eventually([&] { return tcp_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT) == 30'000; }));
}

}  // namespace
}  // namespace pairbench
