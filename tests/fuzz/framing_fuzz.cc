// The bytes of a stranger who got as far as frames: cut anywhere, they give the same messages, none
// beyond the cap, and a complaint is a FormatError.
#include <algorithm>
#include <string>
#include <vector>

#include "control/framing.h"
#include "fuzz/fuzz.h"
#include "plan/json_fields.h"

namespace pairbench {
namespace {

struct Heard {
  std::vector<std::string> frames;
  bool complained = false;

  bool operator==(const Heard&) const = default;
};

// As it comes from a socket, `piece` bytes at a time.
Heard hear(std::string_view bytes, std::size_t piece) {
  FrameDecoder decoder(kMaxHelloFrame);
  Heard heard;
  try {
    while (!bytes.empty()) {
      const auto space = decoder.space();
      promise(!space.empty() && space.size() <= kMaxHelloFrame, "there is room within the cap");
      const auto size = std::min({piece, space.size(), bytes.size()});
      std::ranges::copy(bytes.substr(0, size), space.begin());
      bytes.remove_prefix(size);
      if (const auto message = decoder.commit(size)) heard.frames.push_back(encode_frame(*message));
    }
  } catch (const FormatError&) {
    heard.complained = true;
  }
  return heard;
}

void same_again(const std::string& frame) {
  const Message message = decode_message(std::string_view(frame).substr(4));
  promise(encode_frame(message) == frame, "a frame that was read is written the same");
}

}  // namespace
}  // namespace pairbench

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pairbench;
  const auto bytes = as_text(data, size);
  if (size >= kKnockSize) {
    Knock knock;
    std::copy_n(bytes.begin(), kKnockSize, knock.begin());
    const auto announced = decode_knock(knock);
    if (announced && announced->version == kProtocolVersion) {
      const DoorStep step = announced->secret ? DoorStep::ask : DoorStep::open;
      promise(knock == encode_knock(kProtocolVersion, step), "one knock a version and a step");
    }
  }
  const Heard whole = hear(bytes, size);
  promise(whole == hear(bytes, 1), "where bytes are cut does not matter");
  std::ranges::for_each(whole.frames, same_again);
  return 0;
}
