// Numbers of the wire, stated in docs/protocol.md.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace pairbench {

inline constexpr std::uint16_t kProtocolVersion = 1;
inline constexpr std::uint16_t kDefaultPort = 18600;

// The first bytes an initiator sends: 8 of magic, 2 of protocol version (big endian), 1 that names
// the step (DoorStep), 5 reserved zeros. Anything else is a stranger.
inline constexpr std::size_t kKnockSize = 16;
inline constexpr std::array<char, 8> kMagic = {'P', 'A', 'I', 'R', 'B', 'N', 'C', 'H'};

// Then frames: 4 bytes of length (big endian), then that much JSON: {"type": …, …}.
inline constexpr std::size_t kMaxFrame = std::size_t{16} << 20;
inline constexpr std::size_t kMaxHelloFrame = std::size_t{64} << 10;

// Who has connected is let in within this time, or has to go.
inline constexpr std::chrono::seconds kHelloDeadline{5};
// Connections that have not been let in yet, or are on their way out. One more, and the oldest has
// to go.
inline constexpr std::size_t kMaxVisitors = 64;
inline constexpr std::chrono::seconds kHeartbeat{1};

}  // namespace pairbench
