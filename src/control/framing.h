// The bytes of the wire: the knock that opens a connection and the frames after it. Pure: no I/O.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "control/channel.h"
#include "control/protocol.h"

namespace pairbench {

using Knock = std::array<char, kKnockSize>;

// What a knock is for. All but the first begin a frame of the proof (control/proof.h).
enum class DoorStep : std::uint8_t {
  open = 0,             // from the initiator: no secret; frames follow
  ask = 1,              // from the initiator: its nonce follows
  challenge = 2,        // from the responder: its nonce follows
  initiator_proof = 3,  // a MAC follows
  responder_proof = 4,  // a MAC follows; then frames
};

Knock encode_knock(std::uint16_t version = kProtocolVersion, DoorStep step = DoorStep::open);

// What the initiator's knock announces.
struct Announcement {
  std::uint16_t version = 0;
  bool secret = false;  // it will prove one

  bool operator==(const Announcement&) const = default;
};

// nullopt for a stranger. What another version's knock says beside its version is its own business.
std::optional<Announcement> decode_knock(const Knock& knock);

// Length and JSON text. Text that is not UTF-8 travels with replacement characters. Throws
// Error(failed) for a message over kMaxFrame.
std::string encode_frame(const Message& message);

// The JSON text of one frame as a message. Throws FormatError for what is no JSON object with a
// "type", is nested deeper than kMaxDepth, or has an object of more members than kMaxMembers.
inline constexpr std::size_t kMaxDepth = 32;
inline constexpr std::size_t kMaxMembers = 1024;
Message decode_message(std::string_view text);

// Puts a byte stream together into messages: fill some of space(), then tell how much with
// commit(). The length is held against the cap before anything is allocated for it.
class FrameDecoder {
 public:
  explicit FrameDecoder(std::size_t cap);

  void set_cap(std::size_t cap) { cap_ = cap; }

  // Where the next bytes belong; never empty, never beyond the current frame.
  std::span<char> space();

  // The message that these bytes completed, if they did. Throws FormatError for a frame over the
  // cap or malformed; the stream is lost after that.
  std::optional<Message> commit(std::size_t bytes);

 private:
  static constexpr std::size_t kHeader = 4;

  std::size_t body_size() const;
  void check_size() const;

  std::size_t cap_;
  std::array<char, kHeader> header_{};
  std::string body_;
  std::size_t filled_ = 0;  // bytes of header and body so far
};

}  // namespace pairbench
