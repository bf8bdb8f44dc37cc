#include "harness/ids.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/random.h>

#include <ctime>

#include "base/error.h"

namespace pairbench {

std::vector<std::byte> random_bytes(std::size_t count) {
  std::vector<std::byte> bytes(count);
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(count))
    throw Error(ExitStatus::failed, Phase::hello, "the kernel gave no random bytes");
  return bytes;
}

std::string make_uuid() {
  auto bytes = random_bytes(16);
  bytes[6] = (bytes[6] & std::byte{0x0f}) | std::byte{0x40};
  bytes[8] = (bytes[8] & std::byte{0x3f}) | std::byte{0x80};
  const std::string hex = to_hex(bytes);
  return fmt::format("{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4),
                     hex.substr(16, 4), hex.substr(20));
}

std::string to_hex(const std::vector<std::byte>& bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

std::vector<std::byte> from_hex(const std::string& text) {
  const auto digit = [&](char c) -> unsigned {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
    throw Error(ExitStatus::peer, Phase::hello, "the peer sent a token that is no lower-case hex",
                {}, "install the same version of pairbench on both hosts");
  };
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(digit(text[i]) << 4 | digit(text[i + 1])));
  return bytes;
}

std::string now_rfc3339() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace pairbench
