#include "transport/verbs/gid.h"

#include <arpa/inet.h>

#include <algorithm>

namespace pairbench::verbs {

std::string_view to_string(GidType type) {
  switch (type) {
    case GidType::ib:
      return "IB";
    case GidType::roce_v1:
      return "RoCE v1";
    case GidType::roce_v2:
      return "RoCE v2";
  }
  return "?";
}

bool Gid::is_empty() const {
  return std::all_of(raw.begin(), raw.end(), [](std::uint8_t byte) { return byte == 0; });
}

bool Gid::is_link_local() const {
  return raw[0] == 0xfe && (raw[1] & 0xc0) == 0x80;
}

bool Gid::is_ipv4() const {
  return std::all_of(raw.begin(), raw.begin() + 10, [](std::uint8_t byte) { return byte == 0; }) &&
         raw[10] == 0xff && raw[11] == 0xff;
}

std::string Gid::text() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  return inet_ntop(AF_INET6, raw.data(), text.data(), text.size()) == nullptr ? "" : text.data();
}

std::array<std::uint8_t, 16> gid_of_ip(std::string_view ip) {
  const std::string text(ip.substr(0, ip.find('%')));
  std::array<std::uint8_t, 16> raw{};
  if (inet_pton(AF_INET6, text.c_str(), raw.data()) == 1) return raw;
  const std::string mapped = "::ffff:" + text;
  if (inet_pton(AF_INET6, mapped.c_str(), raw.data()) == 1) return raw;
  return {};
}

}  // namespace pairbench::verbs
