#include "control/proof.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

#include "support.h"

namespace pairbench {
namespace {

Secret secret_of(char letter) {
  return Secret(std::string(32, letter));
}

Nonce nonce_in(const ProofFrame& frame) {
  Nonce nonce;
  std::transform(frame.begin() + kKnockSize, frame.end(), nonce.begin(),
                 [](char byte) { return static_cast<unsigned char>(byte); });
  return nonce;
}

std::string head_of(const ProofFrame& frame) {
  return {frame.data(), kKnockSize};
}

// Two ends after the challenge.
struct Meeting {
  Meeting(const Secret& initiators, const Secret& responders)
      : initiator(initiators), responder(responders, nonce_in(initiator.ask())) {
    proof = initiator.answer(responder.challenge());
  }

  InitiatorProof initiator;
  ResponderProof responder;
  std::optional<ProofFrame> proof;
};

TEST(Proof, OneSecretConvincesBothEnds) {
  const Secret here = secret_of('s');
  const Secret there = secret_of('s');
  Meeting meeting(here, there);
  ASSERT_TRUE(meeting.proof);
  const auto answer = meeting.responder.answer(*meeting.proof);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(meeting.initiator.convinced_by(*answer));
}

TEST(Proof, AnotherSecretConvincesNeither) {
  const Secret secret = secret_of('s');
  const Secret other = secret_of('o');
  Meeting meeting(other, secret);
  EXPECT_EQ(meeting.responder.answer(*meeting.proof), std::nullopt);
  // The same the other way round: a server that answers whatever it is shown.
  const Meeting theirs(secret, secret);
  const auto answer = theirs.responder.answer(*theirs.proof);
  ASSERT_TRUE(answer);
  EXPECT_FALSE(meeting.initiator.convinced_by(*answer));
}

TEST(Proof, EveryBitOfAProofCounts) {
  const Secret secret = secret_of('s');
  Meeting meeting(secret, secret);
  const auto answer = meeting.responder.answer(*meeting.proof);
  ASSERT_TRUE(answer);
  for (std::size_t byte = 0; byte < kProofFrameSize; ++byte)
    for (int bit = 0; bit < 8; ++bit) {
      ProofFrame shown = *meeting.proof;
      shown[byte] = static_cast<char>(shown[byte] ^ 1 << bit);
      EXPECT_EQ(meeting.responder.answer(shown), std::nullopt) << byte;
      shown = *answer;
      shown[byte] = static_cast<char>(shown[byte] ^ 1 << bit);
      EXPECT_FALSE(meeting.initiator.convinced_by(shown)) << byte;
    }
}

TEST(Proof, WhatWasSaidIsNoProofOfTheOtherEnd) {
  const Secret secret = secret_of('s');
  Meeting meeting(secret, secret);
  // An impostor that knows nothing sends back what it gets, under either name.
  EXPECT_FALSE(meeting.initiator.convinced_by(*meeting.proof));
  ProofFrame renamed = *meeting.proof;
  renamed[10] = static_cast<char>(DoorStep::responder_proof);
  EXPECT_FALSE(meeting.initiator.convinced_by(renamed));
  // And the initiator's own nonce as the challenge, so that both ends' are one.
  ProofFrame echo = meeting.initiator.ask();
  echo[10] = static_cast<char>(DoorStep::challenge);
  auto proof = meeting.initiator.answer(echo);
  ASSERT_TRUE(proof);
  (*proof)[10] = static_cast<char>(DoorStep::responder_proof);
  EXPECT_FALSE(meeting.initiator.convinced_by(*proof));
}

TEST(Proof, AProofIsGoodForItsOwnMeetingAlone) {
  const Secret secret = secret_of('s');
  Meeting first(secret, secret);
  const auto first_answer = first.responder.answer(*first.proof);
  ASSERT_TRUE(first_answer);
  Meeting second(secret, secret);
  EXPECT_EQ(second.responder.answer(*first.proof), std::nullopt);
  EXPECT_FALSE(second.initiator.convinced_by(*first_answer));
  // The same knock again: the responder's nonce is new.
  const ResponderProof again(secret, nonce_in(first.initiator.ask()));
  EXPECT_EQ(again.answer(*first.proof), std::nullopt);
}

TEST(Proof, NothingConvincesBeforeTheChallenge) {
  const Secret secret = secret_of('s');
  const Meeting meeting(secret, secret);
  const auto answer = meeting.responder.answer(*meeting.proof);
  ASSERT_TRUE(answer);
  EXPECT_FALSE(InitiatorProof(secret).convinced_by(*answer));
}

TEST(Proof, AnotherVersionOrStepIsNoChallenge) {
  const Secret secret = secret_of('s');
  InitiatorProof initiator(secret);
  const ProofFrame challenge = ResponderProof(secret, nonce_in(initiator.ask())).challenge();
  ASSERT_TRUE(initiator.answer(challenge));
  for (const std::size_t byte : {0, 8, 9, 10, 15}) {
    ProofFrame other = challenge;
    ++other[byte];
    EXPECT_EQ(initiator.answer(other), std::nullopt) << byte;
    EXPECT_EQ(initiator.answer(initiator.ask()), std::nullopt);
  }
}

TEST(Proof, HasTheBytesOfTheProtocol) {
  const Secret secret(std::string("0123456789abcdef"));
  Meeting meeting(secret, secret);
  const auto answer = meeting.responder.answer(*meeting.proof);
  ASSERT_TRUE(answer);
  EXPECT_EQ(head_of(meeting.initiator.ask()), std::string("PAIRBNCH\0\1\1\0\0\0\0\0", 16));
  EXPECT_EQ(head_of(meeting.responder.challenge()), std::string("PAIRBNCH\0\1\2\0\0\0\0\0", 16));
  EXPECT_EQ(head_of(*meeting.proof), std::string("PAIRBNCH\0\1\3\0\0\0\0\0", 16));
  EXPECT_EQ(head_of(*answer), std::string("PAIRBNCH\0\1\4\0\0\0\0\0", 16));
  for (const ProofFrame& proof : {*meeting.proof, *answer}) {
    std::string message = head_of(proof);
    for (const ProofFrame& said : {meeting.initiator.ask(), meeting.responder.challenge()})
      message.append(said.data() + kKnockSize, kNonceSize);
    const auto* bytes = reinterpret_cast<const unsigned char*>(message.data());
    EXPECT_EQ(nonce_in(proof), secret.mac({bytes, message.size()}));
  }
}

TEST(Proof, NoncesDoNotComeTwice) {
  const Secret secret = secret_of('s');
  std::set<Nonce> seen;
  for (int i = 0; i < 100; ++i) {
    const InitiatorProof initiator(secret);
    seen.insert(nonce_in(initiator.ask()));
    seen.insert(nonce_in(ResponderProof(secret, nonce_in(initiator.ask())).challenge()));
  }
  EXPECT_EQ(seen.size(), 200u);
}

}  // namespace
}  // namespace pairbench
