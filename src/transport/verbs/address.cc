#include "transport/verbs/address.h"

#include <algorithm>
#include <cstddef>

namespace pairbench::verbs {
namespace {

constexpr std::size_t kLength = 2 + 3 + 3 + 2 + 16;

void put(AddressBlob& blob, std::uint32_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    blob.push_back(static_cast<std::byte>(value >> shift & 0xff));
}

std::uint32_t take(AddressBlob::const_iterator& at, int bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < bytes; ++i) value = value << 8 | std::to_integer<std::uint32_t>(*at++);
  return value;
}

}  // namespace

AddressBlob to_blob(const Address& address) {
  AddressBlob blob;
  blob.reserve(kLength);
  put(blob, address.lid, 2);
  put(blob, address.queue_pair & kMost24Bits, 3);
  put(blob, address.first_packet & kMost24Bits, 3);
  put(blob, address.mtu_bytes, 2);
  for (const std::uint8_t byte : address.gid) blob.push_back(static_cast<std::byte>(byte));
  return blob;
}

std::optional<Address> from_blob(const AddressBlob& blob) {
  if (blob.size() != kLength) return std::nullopt;
  Address address;
  auto at = blob.begin();
  address.lid = static_cast<std::uint16_t>(take(at, 2));
  address.queue_pair = take(at, 3);
  address.first_packet = take(at, 3);
  address.mtu_bytes = static_cast<std::uint16_t>(take(at, 2));
  std::generate(address.gid.begin(), address.gid.end(),
                [&] { return static_cast<std::uint8_t>(take(at, 1)); });
  return address;
}

}  // namespace pairbench::verbs
