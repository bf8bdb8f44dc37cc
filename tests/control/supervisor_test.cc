#include "control/supervisor.h"

#include <gtest/gtest.h>

#include <csignal>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "control/framing.h"
#include "control/messages.h"
#include "server_process.h"

namespace pairbench {
namespace {

using namespace control_test;

TEST(Supervisor, ServesOneSessionAfterTheOther) {
  ServerProcess server;
  const auto before = server.open_descriptors();
  for (int i = 0; i < 20; ++i) {
    // The next comes while the last one's process may still be ending.
    const Connection connection = server.connect(i % 2 == 0 ? "127.0.0.1" : "::1");
    expect_echo(*connection.channel, std::to_string(i));
  }
  EXPECT_TRUE(eventually([&] { return server.open_descriptors() == before; }));
}

TEST(Supervisor, LogsBeginningAndEndOfASession) {
  ServerProcess server;
  const Connection connection = server.connect();
  EXPECT_TRUE(mentions(server.wait_for("began"), "session with 127.0.0.1:"));
  connection.channel->send(text_message("finish"));
  EXPECT_TRUE(mentions(server.wait_for("ended"), "exit status 7"));
}

TEST(Supervisor, WorkersInheritNothingButTheirSocket) {
  ServerProcess server;
  const Fd stranger = connect_raw("127.0.0.1", server.port());
  const Connection connection = server.connect();
  connection.channel->send(text_message("descriptors"));
  const Json list = connection.channel->receive(Phase::hello, soon()).body.at("list");
  ASSERT_EQ(list.size(), 4u) << list;
  EXPECT_EQ(list[2], 2);
}

TEST(Supervisor, StrangersDisturbNobody) {
  ServerProcess server({"hello=500"});
  const auto before = server.open_descriptors();
  for (int i = 0; i < 100; ++i) connect_raw("127.0.0.1", server.port());
  const Fd silent = connect_raw("127.0.0.1", server.port());
  const Fd browser = connect_raw("127.0.0.1", server.port());
  write_raw(browser, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const Fd noise = connect_raw("127.0.0.1", server.port());
  std::string random_bytes(1 << 20, '\0');
  std::mt19937 random(1);
  for (char& c : random_bytes) c = static_cast<char>(random() & 0xff);
  write_raw(noise, random_bytes);
  Fd half = connect_raw("127.0.0.1", server.port());
  write_raw(half, own_knock().substr(0, 8));
  half.reset();
  {
    const Connection connection = server.connect();
    expect_echo(*connection.channel);
    EXPECT_EQ(read_to_end(silent), "");
    expect_echo(*connection.channel);
  }
  EXPECT_EQ(read_to_end(browser), "");
  EXPECT_EQ(read_to_end(noise), "");
  EXPECT_TRUE(server.alive());
  EXPECT_TRUE(eventually([&] { return server.open_descriptors() == before; }));
}

TEST(Supervisor, StrangersAreLoggedWithTheReason) {
  ServerProcess server({"hello=200"});
  Fd stranger = connect_raw("127.0.0.1", server.port());
  const std::string address = local_address(stranger.get());
  EXPECT_TRUE(
      mentions(server.wait_for("turned away"), address + ": it did not knock within 200ms"));
  stranger = connect_raw("127.0.0.1", server.port());
  write_raw(stranger, "GET / HTTP/1.1\r\n");
  EXPECT_TRUE(mentions(server.wait_for("turned away"), "it is no pairbench"));
  stranger = connect_raw("127.0.0.1", server.port());
  write_raw(stranger, "PAIR");
  stranger.reset();
  EXPECT_TRUE(mentions(server.wait_for("turned away"), "it left without a knock"));
}

TEST(Supervisor, AKnockMayComeByteByByte) {
  ServerProcess server;
  const Fd slow = connect_raw("127.0.0.1", server.port());
  for (const char byte : own_knock() + encode_frame(text_message("finish"))) {
    write_raw(slow, {&byte, 1});
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_TRUE(read_to_end(slow).ends_with(encode_frame({"bye", {}})));
}

TEST(Supervisor, ACrowdOfSilentStrangersKeepsNobodyOut) {
  ServerProcess server;
  std::vector<Fd> crowd;
  for (int i = 0; i < 200; ++i) crowd.push_back(connect_raw("127.0.0.1", server.port()));
  const Connection connection = server.connect();
  expect_echo(*connection.channel);
  EXPECT_LT(server.open_descriptors(), 100);
}

TEST(Supervisor, AnotherProtocolVersionIsToldBoth) {
  ServerProcess server;
  for (const std::uint16_t version : std::initializer_list<std::uint16_t>{0, 2, 0x0100}) {
    const Fd socket = connect_raw("127.0.0.1", server.port());
    const Knock knock = encode_knock(version);
    // A greeting that nobody reads must not cost the answer.
    write_raw(socket, {knock.data(), knock.size()});
    write_raw(socket, encode_frame(text_message("hello", std::string(50'000, 'x'))));
    const std::string answer = read_to_end(socket);
    ASSERT_GT(answer.size(), 4u);
    const Failure failure =
        from_message<wire::FailureNotice>(decode_message(std::string_view(answer).substr(4)))
            .failure;
    EXPECT_EQ(failure.status, ExitStatus::peer);
    EXPECT_EQ(failure.message, "the two ends speak different protocols: initiator " +
                                   std::to_string(version) + ", responder " +
                                   std::to_string(kProtocolVersion));
    EXPECT_FALSE(server.wait_for("different protocols").empty());
  }
  expect_echo(*server.connect().channel);
}

TEST(Supervisor, ASecondClientIsToldThatTheServerIsBusy) {
  ServerProcess server;
  const Connection first = server.connect();
  expect_echo(*first.channel);
  for (int i = 0; i < 3; ++i) {
    const Failure failure = awaited_failure(server.connect());
    EXPECT_EQ(failure.status, ExitStatus::peer);
    EXPECT_EQ(failure.message, "the server is busy");
    EXPECT_TRUE(mentions(failure.cause, "a session with 127.0.0.1:"));
  }
  expect_echo(*first.channel);
}

TEST(Supervisor, AWorkerThatOutlivesItsPeerIsKilledAndTheNextClientServed) {
  ServerProcess server({"grace=100"});
  {
    const Connection connection = server.connect();
    connection.channel->send(text_message("hang"));
  }
  const Connection next = server.connect();
  expect_echo(*next.channel);
  EXPECT_TRUE(mentions(server.wait_for("hangs"), "killing process"));
  EXPECT_TRUE(mentions(server.wait_for("ended"), "killed by signal 9"));
}

TEST(Supervisor, ASessionBeyondTheLimitIsEndedByForceAtLast) {
  ServerProcess server({"longest=4000", "stop=100"});
  const Connection connection = server.connect();
  expect_echo(*connection.channel);
  connection.channel->send(text_message("hang"));
  EXPECT_TRUE(mentions(server.wait_for("has lasted"), "has lasted 4s, the limit: ending process"));
  EXPECT_TRUE(mentions(server.wait_for("ended"), "killed by signal 9"));
  expect_echo(*server.connect().channel);
}

TEST(Supervisor, AWorkerThatCrashesIsLoggedAndItsPeerNotices) {
  ServerProcess server;
  const Connection connection = server.connect();
  connection.channel->send(text_message("crash"));
  EXPECT_TRUE(mentions(awaited_failure(connection).message, "lost the peer"));
  EXPECT_TRUE(mentions(server.wait_for("ended"), "killed by signal 6"));
  expect_echo(*server.connect().channel);
}

TEST(Supervisor, AProgramThatCannotBeStartedDoesNotEndTheServer) {
  ServerProcess missing({"noexec"});
  EXPECT_TRUE(mentions(awaited_failure(missing.connect()).message, "lost the peer"));
  EXPECT_TRUE(mentions(missing.wait_for("ended"), "exit status 127"));
  ServerProcess refusing({"refuse"});
  const Failure failure = awaited_failure(refusing.connect());
  EXPECT_EQ(failure.message, "the server cannot start a session");
  EXPECT_EQ(failure.cause, "no worker today");
  EXPECT_TRUE(refusing.alive());
}

TEST(Supervisor, OnceEndsWithTheSessionsExitStatus) {
  ServerProcess server({"once"});
  connect_raw("127.0.0.1", server.port());
  const Connection connection = server.connect();
  connection.channel->send({"exit", {{"status", 4}}});
  EXPECT_EQ(server.wait(), 4);
}

TEST(Supervisor, OnceNamesACrashAndAHang) {
  ServerProcess crashing({"once"});
  crashing.connect().channel->send(text_message("crash"));
  EXPECT_EQ(crashing.wait(), 1);
  ServerProcess hanging({"once", "grace=100"});
  hanging.connect().channel->send(text_message("hang"));
  EXPECT_EQ(hanging.wait(), 5);
}

TEST(Supervisor, EndsBySignalWithItsExitStatus) {
  for (const auto& [number, status] : {std::pair{SIGINT, 130}, {SIGTERM, 143}, {SIGHUP, 129}}) {
    ServerProcess server;
    const Fd stranger = connect_raw("127.0.0.1", server.port());
    server.signal(number);
    EXPECT_EQ(server.wait(), status);
  }
}

TEST(Supervisor, PassesTheEndOnToItsWorker) {
  ServerProcess server;
  const Connection connection = server.connect();
  expect_echo(*connection.channel);
  server.signal(SIGTERM);
  EXPECT_TRUE(mentions(awaited_failure(connection).message, "lost the peer"));
  EXPECT_TRUE(mentions(server.wait_for("ended"), "killed by signal 15"));
  EXPECT_EQ(server.wait(), 143);
}

TEST(Supervisor, KillsAWorkerThatDoesNotEndByItself) {
  ServerProcess server({"stop=100"});
  const Connection connection = server.connect();
  expect_echo(*connection.channel);
  connection.channel->send(text_message("hang"));
  // The worker ignores TERM once it hangs; a pause of this end shows in nothing it says.
  std::this_thread::sleep_for(300ms);
  server.signal(SIGINT);
  EXPECT_EQ(server.wait(), 130);
  awaited_failure(connection);
}

TEST(Supervisor, ItsWorkerDiesWithIt) {
  ServerProcess server;
  const Connection connection = server.connect();
  expect_echo(*connection.channel);
  server.signal(SIGKILL);
  EXPECT_TRUE(mentions(awaited_failure(connection).message, "lost the peer"));
}

}  // namespace
}  // namespace pairbench
