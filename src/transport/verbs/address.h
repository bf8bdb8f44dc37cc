// What one end of an RC connection tells the other, and how it travels.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "transport/endpoint.h"

namespace pairbench::verbs {

// Queue pair and packet numbers have so many bits.
inline constexpr std::uint32_t kMost24Bits = (1u << 24) - 1;

struct Address {
  std::uint16_t lid = 0;
  std::uint32_t queue_pair = 0;        // 24 bits
  std::uint32_t first_packet = 0;      // sequence number of the first packet sent; 24 bits
  std::uint16_t mtu_bytes = 0;         // active on this end's port
  std::array<std::uint8_t, 16> gid{};  // all zero: none

  bool operator==(const Address&) const = default;
};

// Fixed length, most significant byte first.
AddressBlob to_blob(const Address& address);

// nullopt where the bytes are no such address.
std::optional<Address> from_blob(const AddressBlob& blob);

}  // namespace pairbench::verbs
