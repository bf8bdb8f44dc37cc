// Payload in pieces, as work requests describe it.
#pragma once

#include <infiniband/verbs.h>
#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "soft_efa/device.h"

namespace pairbench::soft_efa {

struct Slices {
  std::array<iovec, kMaxPieces> parts{};
  std::size_t count = 0;

  std::span<const iovec> list() const { return std::span(parts).first(count); }
};

std::uint64_t total_length(std::span<const ibv_sge> pieces);

// `length` bytes of the pieces, from `offset` on; fewer where they end.
Slices slice(std::span<const ibv_sge> pieces, std::uint64_t offset, std::uint64_t length);

void scatter(std::span<const std::byte> payload, const Slices& to);

}  // namespace pairbench::soft_efa
