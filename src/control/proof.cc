#include "control/proof.h"

#include <openssl/crypto.h>
#include <sys/random.h>

#include <algorithm>

#include "base/error.h"

namespace pairbench {
namespace {

Nonce fresh_nonce() {
  Nonce nonce;
  if (getrandom(nonce.data(), nonce.size(), 0) != static_cast<ssize_t>(nonce.size()))
    throw Error(ExitStatus::failed, Phase::hello, "the kernel gave no random bytes");
  return nonce;
}

// Nonces and MACs are of one size.
ProofFrame frame_of(DoorStep step, const Nonce& content) {
  ProofFrame frame;
  const Knock knock = encode_knock(kProtocolVersion, step);
  const auto rest = std::copy(knock.begin(), knock.end(), frame.begin());
  std::transform(content.begin(), content.end(), rest,
                 [](unsigned char byte) { return static_cast<char>(byte); });
  return frame;
}

// nullopt for a frame of another step or version.
std::optional<Nonce> content_of(DoorStep step, const ProofFrame& frame) {
  const Knock knock = encode_knock(kProtocolVersion, step);
  if (!std::equal(knock.begin(), knock.end(), frame.begin())) return std::nullopt;
  Nonce content;
  std::transform(frame.begin() + knock.size(), frame.end(), content.begin(),
                 [](char byte) { return static_cast<unsigned char>(byte); });
  return content;
}

// Over the knock of its own frame, which holds protocol version and direction, and both nonces.
Mac proof_of(DoorStep step, const Secret& secret, const Nonce& initiators,
             const Nonce& responders) {
  std::array<unsigned char, kKnockSize + 2 * kNonceSize> message;
  const Knock knock = encode_knock(kProtocolVersion, step);
  auto end = std::copy(knock.begin(), knock.end(), message.begin());
  end = std::copy(initiators.begin(), initiators.end(), end);
  std::copy(responders.begin(), responders.end(), end);
  return secret.mac(message);
}

// In the same time whatever was shown.
bool same_mac(const Mac& shown, const Mac& due) {
  return CRYPTO_memcmp(shown.data(), due.data(), due.size()) == 0;
}

}  // namespace

InitiatorProof::InitiatorProof(const Secret& secret) : secret_(secret), mine_(fresh_nonce()) {}

ProofFrame InitiatorProof::ask() const {
  return frame_of(DoorStep::ask, mine_);
}

std::optional<ProofFrame> InitiatorProof::answer(const ProofFrame& challenge) {
  theirs_ = content_of(DoorStep::challenge, challenge);
  if (!theirs_) return std::nullopt;
  return frame_of(DoorStep::initiator_proof,
                  proof_of(DoorStep::initiator_proof, secret_, mine_, *theirs_));
}

bool InitiatorProof::convinced_by(const ProofFrame& frame) const {
  const auto shown = content_of(DoorStep::responder_proof, frame);
  return shown && theirs_ &&
         same_mac(*shown, proof_of(DoorStep::responder_proof, secret_, mine_, *theirs_));
}

ResponderProof::ResponderProof(const Secret& secret, const Nonce& theirs)
    : secret_(secret), mine_(fresh_nonce()), theirs_(theirs) {}

ProofFrame ResponderProof::challenge() const {
  return frame_of(DoorStep::challenge, mine_);
}

std::optional<ProofFrame> ResponderProof::answer(const ProofFrame& proof) const {
  const auto shown = content_of(DoorStep::initiator_proof, proof);
  if (!shown || !same_mac(*shown, proof_of(DoorStep::initiator_proof, secret_, theirs_, mine_)))
    return std::nullopt;
  return frame_of(DoorStep::responder_proof,
                  proof_of(DoorStep::responder_proof, secret_, theirs_, mine_));
}

}  // namespace pairbench
