// What a message says of itself where libfabric's fabric efa sent it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "soft_efa/counters.h"

namespace pairbench::soft_efa {

// By the header that version 4 of the provider's protocol puts before every message; none for what
// has no such header (efa-direct has none at all) or is of a kind that has no counter.
std::optional<Counter> kind_of(std::span<const std::byte> message);

}  // namespace pairbench::soft_efa
