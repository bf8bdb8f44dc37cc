#include "control/door.h"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <string_view>
#include <vector>

#include "control/messages.h"
#include "control/proof.h"
#include "server_process.h"

namespace pairbench {
namespace {

using namespace control_test;

const std::string kWord = "a secret of thirty-two letters..";
const std::string kOther = "another secret of as many letters";

std::vector<std::string> with_secret(std::vector<std::string> more = {}) {
  more.push_back("secret=" + kWord);
  return more;
}

std::string text_of(const ProofFrame& frame) {
  return {frame.data(), frame.size()};
}

// Zeros from where the stream ends.
ProofFrame read_frame(const Fd& socket) {
  ProofFrame frame{};
  std::size_t filled = 0;
  while (filled < frame.size() && readable(socket.get())) {
    const ssize_t count = recv(socket.get(), frame.data() + filled, frame.size() - filled, 0);
    if (count <= 0) break;
    filled += static_cast<std::size_t>(count);
  }
  EXPECT_EQ(filled, frame.size());
  return frame;
}

// The reason in the one frame that the server answers.
std::string refusal_in(const std::string& answer) {
  EXPECT_GT(answer.size(), 4u);
  return from_message<wire::FailureNotice>(decode_message(std::string_view(answer).substr(4)))
      .failure.message;
}

// A server that says `answers`, one for every 48 bytes it hears, and hangs up.
class FakeServer {
 public:
  explicit FakeServer(std::vector<std::string> answers)
      : listener_(listen_on("127.0.0.1", 0)),
        done_(std::async(std::launch::async, [this, answers = std::move(answers)] {
          const Fd client = accept_raw(listener_);
          for (const std::string& answer : answers) {
            read_frame(client);
            write_raw(client, answer);
          }
          shutdown(client.get(), SHUT_WR);
          char ignored[4096];
          while (readable(client.get()) && recv(client.get(), ignored, sizeof ignored, 0) > 0) {
          }
        })) {}

  // What the initiator makes of it.
  Failure meet() const {
    const Secret secret(kWord);
    return failure_of([&] {
      connect_to_peer({"127.0.0.1", local_port(listener_.get())}, 0s, nullptr, &secret);
    });
  }

 private:
  Fd listener_;
  std::future<void> done_;
};

TEST(Door, OneSecretLetsIn) {
  ServerProcess server(with_secret());
  const Secret secret(kWord);
  for (const std::string host : {"127.0.0.1", "::1"})
    expect_echo(*server.connect(host, &secret).channel);
}

TEST(Door, AnotherSecretIsToldSoAndKeptOut) {
  ServerProcess server(with_secret());
  const Secret other(kOther);
  const Failure failure = failure_of([&] { server.connect("127.0.0.1", &other); });
  EXPECT_EQ(failure.status, ExitStatus::peer);
  EXPECT_EQ(failure.phase, Phase::hello);
  EXPECT_EQ(failure.message, "this server's secret is another one");
  EXPECT_TRUE(mentions(failure.host, "127.0.0.1:"));
  EXPECT_TRUE(mentions(failure.hint, "--secret-file"));
  EXPECT_TRUE(mentions(server.wait_for("told"), failure.message));
  const Secret secret(kWord);
  expect_echo(*server.connect("127.0.0.1", &secret).channel);
}

TEST(Door, NoSecretIsToldThatOneIsNeeded) {
  ServerProcess server(with_secret());
  const Failure failure = awaited_failure(server.connect());
  EXPECT_EQ(failure.message, "this server needs a secret");
  EXPECT_TRUE(mentions(failure.hint, "--secret-file"));
  EXPECT_TRUE(mentions(server.wait_for("told"), failure.message));
}

TEST(Door, AServerWithoutASecretIsNotMeasuredWith) {
  ServerProcess server;
  const Secret secret(kWord);
  const Failure failure = failure_of([&] { server.connect("127.0.0.1", &secret); });
  EXPECT_EQ(failure.status, ExitStatus::peer);
  EXPECT_TRUE(mentions(failure.message, "has no secret"));
  EXPECT_TRUE(mentions(server.wait_for("told"), failure.message));
  expect_echo(*server.connect().channel);
}

TEST(Door, AProofMayComeByteByByte) {
  ServerProcess server(with_secret());
  const Fd slow = connect_raw("127.0.0.1", server.port());
  const Secret secret(kWord);
  InitiatorProof proof(secret);
  for (const char byte : proof.ask()) write_raw(slow, {&byte, 1});
  const auto answer = proof.answer(read_frame(slow));
  ASSERT_TRUE(answer);
  for (const char byte : *answer) write_raw(slow, {&byte, 1});
  EXPECT_TRUE(proof.convinced_by(read_frame(slow)));
  write_raw(slow, encode_frame(text_message("finish")));
  EXPECT_TRUE(read_to_end(slow).ends_with(encode_frame({"bye", {}})));
}

TEST(Door, WhatWasHeardOnceOpensNothing) {
  ServerProcess server(with_secret());
  const Secret secret(kWord);
  InitiatorProof proof(secret);
  const Fd first = connect_raw("127.0.0.1", server.port());
  write_raw(first, text_of(proof.ask()));
  const auto answer = proof.answer(read_frame(first));
  write_raw(first, text_of(*answer));
  EXPECT_TRUE(proof.convinced_by(read_frame(first)));
  const Fd again = connect_raw("127.0.0.1", server.port());
  write_raw(again, text_of(proof.ask()));
  read_frame(again);
  write_raw(again, text_of(*answer));
  EXPECT_EQ(refusal_in(read_to_end(again)), "this server's secret is another one");
}

TEST(Door, StrangersInTheProofCostNothingAndGoInTime) {
  ServerProcess server(with_secret({"hello=3000"}));
  const auto before = server.open_descriptors();
  const Secret secret(kWord);
  const std::string ask = text_of(InitiatorProof(secret).ask());
  std::vector<Fd> crowd;
  for (const std::size_t length : {kKnockSize, kKnockSize + 1, ask.size()})
    for (int i = 0; i < 10; ++i) {
      crowd.push_back(connect_raw("127.0.0.1", server.port()));
      write_raw(crowd.back(), ask.substr(0, length));
    }
  expect_echo(*server.connect("127.0.0.1", &secret).channel);
  for (const Fd& stranger : crowd) {
    const std::string heard = read_to_end(stranger);
    EXPECT_TRUE(heard.empty() || heard.size() == kProofFrameSize) << heard;
  }
  EXPECT_TRUE(mentions(server.wait_for("turned away"),
                       "it did not prove within 3s that it knows the secret"));
  EXPECT_TRUE(eventually([&] { return server.open_descriptors() == before; }));
  expect_echo(*server.connect("127.0.0.1", &secret).channel);
}

TEST(Door, OneWhoLeavesInTheProofIsLogged) {
  ServerProcess server(with_secret());
  const Secret secret(kWord);
  Fd stranger = connect_raw("127.0.0.1", server.port());
  write_raw(stranger, text_of(InitiatorProof(secret).ask()));
  read_frame(stranger);
  stranger.reset();
  EXPECT_TRUE(mentions(server.wait_for("turned away"), "it left before it had proved"));
}

TEST(Door, NoiseForAProofIsRefused) {
  ServerProcess server(with_secret());
  const Secret secret(kWord);
  const Fd noise = connect_raw("127.0.0.1", server.port());
  write_raw(noise, text_of(InitiatorProof(secret).ask()));
  read_frame(noise);
  write_raw(noise, std::string(1 << 16, '\xff'));
  EXPECT_EQ(refusal_in(read_to_end(noise)), "this server's secret is another one");
}

TEST(Door, AnImpostorIsNotBelieved) {
  const Secret other(kOther);
  const ResponderProof impostor(other, Nonce{});
  const std::string challenge = text_of(impostor.challenge());
  const std::string hello_reply = encode_frame(text_message("hello_reply"));
  for (const auto& [answers, cause] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{challenge, challenge}, "its proof does not fit"},
           {{challenge, hello_reply}, "as if no secret had been asked for"},
           {{hello_reply}, "as if no secret had been asked for"},
           {{text_of(InitiatorProof(other).ask())}, "no challenge of this protocol"},
           {{challenge.substr(0, 20)}, "it closed the connection"},
           {{challenge, ""}, "it closed the connection"},
           {{}, "it closed the connection"}}) {
    const Failure failure = FakeServer(answers).meet();
    EXPECT_EQ(failure.status, ExitStatus::peer);
    EXPECT_EQ(failure.phase, Phase::hello);
    EXPECT_TRUE(mentions(failure.message, "did not prove that it knows the secret"));
    EXPECT_TRUE(mentions(failure.cause, cause)) << failure.cause;
    EXPECT_TRUE(mentions(failure.hint, "--secret-file"));
  }
}

TEST(Door, WaitingForTheProofCanBeEnded) {
  const Fd silent = listen_on("127.0.0.1", 0);
  const Secret secret(kWord);
  EXPECT_THROW(
      connect_to_peer(
          {"127.0.0.1", local_port(silent.get())}, 0s, [] { throw Interrupted(2); }, &secret),
      Interrupted);
}

}  // namespace
}  // namespace pairbench
