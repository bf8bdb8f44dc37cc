// How two ends prove to each other that they know one secret: what is sent at the door before the
// first frame. docs/protocol.md states the bytes. Pure but for the random numbers.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "control/framing.h"
#include "control/secret.h"

namespace pairbench {

inline constexpr std::size_t kNonceSize = 32;
using Nonce = std::array<unsigned char, kNonceSize>;

// A knock that names its step, and 32 bytes: a nonce or a MAC.
inline constexpr std::size_t kProofFrameSize = kKnockSize + kNonceSize;
using ProofFrame = std::array<char, kProofFrameSize>;

// The initiator's half. Refers to the secret.
class InitiatorProof {
 public:
  // Throws Error(failed, hello) when the kernel gives no random bytes.
  explicit InitiatorProof(const Secret& secret);

  // What to knock with.
  ProofFrame ask() const;
  // The proof that the challenge asks for; nullopt where the frame is no challenge.
  std::optional<ProofFrame> answer(const ProofFrame& challenge);
  // Whether the frame proves that the responder knows the secret; false before answer().
  bool convinced_by(const ProofFrame& frame) const;

 private:
  const Secret& secret_;
  Nonce mine_;
  std::optional<Nonce> theirs_;
};

// The responder's half. Refers to the secret.
class ResponderProof {
 public:
  // `theirs`: what follows the initiator's knock. Throws as InitiatorProof does.
  ResponderProof(const Secret& secret, const Nonce& theirs);

  ProofFrame challenge() const;
  // Its own proof, once the frame proves that the initiator knows the secret; else nullopt.
  std::optional<ProofFrame> answer(const ProofFrame& proof) const;

 private:
  const Secret& secret_;
  Nonce mine_;
  Nonce theirs_;
};

}  // namespace pairbench
