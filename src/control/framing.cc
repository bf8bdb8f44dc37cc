#include "control/framing.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "plan/json_fields.h"
#include "plan/json_parser.h"

namespace pairbench {
namespace {

// Unsigned big-endian numbers in a buffer of char.
void put_number(std::span<char> out, std::uint64_t value) {
  for (std::size_t i = out.size(); i-- > 0; value >>= 8) out[i] = static_cast<char>(value & 0xff);
}

std::uint64_t take_number(std::span<const char> in) {
  std::uint64_t value = 0;
  for (const char byte : in) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

constexpr std::size_t kVersionAt = kMagic.size();
constexpr std::size_t kStepAt = kVersionAt + sizeof kProtocolVersion;

}  // namespace

Knock encode_knock(std::uint16_t version, DoorStep step) {
  Knock knock{};
  std::ranges::copy(kMagic, knock.begin());
  put_number(std::span(knock).subspan(kVersionAt, sizeof version), version);
  knock[kStepAt] = static_cast<char>(step);
  return knock;
}

std::optional<Announcement> decode_knock(const Knock& knock) {
  const std::span bytes(knock);
  if (!std::ranges::equal(bytes.first(kMagic.size()), kMagic)) return std::nullopt;
  const auto version =
      static_cast<std::uint16_t>(take_number(bytes.subspan(kVersionAt, sizeof kProtocolVersion)));
  if (version != kProtocolVersion) return Announcement{version};
  for (const DoorStep step : {DoorStep::open, DoorStep::ask})
    if (knock == encode_knock(version, step)) return Announcement{version, step == DoorStep::ask};
  return std::nullopt;
}

std::string encode_frame(const Message& message) {
  Json whole = {{"type", message.type}};
  if (!message.body.is_null()) whole.update(message.body);
  std::string frame(4, '\0');
  frame += whole.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::size_t size = frame.size() - 4;
  if (size > kMaxFrame) {
    throw Error(ExitStatus::failed, Phase::plan,
                fmt::format("a '{}' message of {} bytes is too large for the control connection",
                            message.type, size),
                fmt::format("at most {} bytes fit into one message", kMaxFrame),
                "ask for fewer sizes, tests or transports in one run");
  }
  put_number(std::span(frame).first(4), size);
  return frame;
}

Message decode_message(std::string_view text) {
  Json whole = parse_json(text, {kMaxDepth, kMaxMembers});
  Message message;
  read_field(whole, "type", message.type);
  whole.erase("type");
  message.body = std::move(whole);
  return message;
}

FrameDecoder::FrameDecoder(std::size_t cap) : cap_(cap) {}

std::size_t FrameDecoder::body_size() const {
  return static_cast<std::size_t>(take_number(header_));
}

void FrameDecoder::check_size() const {
  if (body_size() > cap_)
    throw FormatError(
        "", fmt::format("a frame of {} bytes is over the limit of {}", body_size(), cap_));
  if (body_size() == 0) throw FormatError("", "a frame is empty");
}

std::span<char> FrameDecoder::space() {
  if (filled_ < kHeader) return std::span(header_).subspan(filled_);
  return std::span(body_).subspan(filled_ - kHeader);
}

std::optional<Message> FrameDecoder::commit(std::size_t bytes) {
  const bool in_header = filled_ < kHeader;
  filled_ += bytes;
  if (filled_ < kHeader) return std::nullopt;
  if (in_header) {
    check_size();
    body_.resize(body_size());
  }
  if (filled_ < kHeader + body_.size()) return std::nullopt;
  filled_ = 0;
  return decode_message(std::exchange(body_, {}));
}

}  // namespace pairbench
