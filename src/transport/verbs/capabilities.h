// What an RC queue pair of a port can do.
#pragma once

#include "transport/capabilities.h"
#include "transport/verbs/selection.h"

namespace pairbench::verbs {

// The attributes that queue pairs are opened with, set on purpose. 7 would mean for ever: with 6 a
// peer that is gone becomes an error after about half a second (4.096 us * 2^timeout a try).
inline constexpr std::uint8_t kTimeout = 14;
inline constexpr std::uint8_t kRetryCount = 6;
inline constexpr std::uint8_t kRnrRetry = 6;
inline constexpr std::uint8_t kMinRnrTimer = 12;  // 0.64 ms
inline constexpr std::uint8_t kHopLimit = 64;

// Pure.
Capabilities capabilities_of(const Choice& choice);

}  // namespace pairbench::verbs
