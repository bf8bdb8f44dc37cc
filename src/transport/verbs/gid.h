// GIDs: which addresses a port has, and what kind each is. Plain data.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace pairbench::verbs {

enum class GidType { ib, roce_v1, roce_v2 };
std::string_view to_string(GidType type);  // "IB", "RoCE v1", "RoCE v2"

struct Gid {
  int index = 0;
  std::array<std::uint8_t, 16> raw{};
  GidType type = GidType::ib;

  bool is_empty() const;       // no address stands in this row of the table
  bool is_link_local() const;  // fe80::/10
  bool is_ipv4() const;        // ::ffff:a.b.c.d
  std::string text() const;    // as inet_ntop writes IPv6

  bool operator==(const Gid&) const = default;
};

// A numeric IPv4 or IPv6 address (a scope is ignored) as a GID writes it; empty where it is none.
std::array<std::uint8_t, 16> gid_of_ip(std::string_view ip);

}  // namespace pairbench::verbs
