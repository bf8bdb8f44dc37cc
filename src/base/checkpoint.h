// A stamp at a known count: how a receiver times a stream without reading the clock per message.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace pairbench {

struct Checkpoint {
  Ticks at = 0;
  std::uint64_t messages = 0;  // received so far, in this block

  bool operator==(const Checkpoint&) const = default;
};

}  // namespace pairbench
