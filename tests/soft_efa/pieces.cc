#include "soft_efa/pieces.h"

#include <algorithm>
#include <cstring>

namespace pairbench::soft_efa {

std::uint64_t total_length(std::span<const ibv_sge> pieces) {
  std::uint64_t total = 0;
  for (const ibv_sge& piece : pieces) total += piece.length;
  return total;
}

Slices slice(std::span<const ibv_sge> pieces, std::uint64_t offset, std::uint64_t length) {
  Slices result;
  for (const ibv_sge& piece : pieces) {
    const std::uint64_t skipped = std::min<std::uint64_t>(offset, piece.length);
    const std::uint64_t taken = std::min<std::uint64_t>(length, piece.length - skipped);
    offset -= skipped;
    length -= taken;
    if (taken > 0)
      result.parts[result.count++] = {reinterpret_cast<void*>(piece.addr + skipped), taken};
  }
  return result;
}

void scatter(std::span<const std::byte> payload, const Slices& to) {
  for (const iovec& part : to.list()) {
    std::memcpy(part.iov_base, payload.data(), part.iov_len);
    payload = payload.subspan(part.iov_len);
  }
}

}  // namespace pairbench::soft_efa
