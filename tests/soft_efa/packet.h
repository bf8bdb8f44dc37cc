// What goes over the wire between two queue pairs of this machine.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>

#include "soft_efa/status.h"

namespace pairbench::soft_efa {

// A queue pair, as the network finds it.
struct Address {
  ibv_gid gid;
  std::uint16_t queue_pair;
};

enum class PacketKind : std::uint8_t {
  send,           // request: payload to the next posted receive
  write,          // request: payload to memory; one of several where it is long
  read,           // request: for payload from memory
  read_response,  // part of that payload
  answer,         // to a request: its status
};

struct PacketHeader {
  std::uint32_t magic = 0;
  PacketKind kind = PacketKind::answer;
  Status status = Status::ok;
  bool has_immediate = false;
  bool last = false;  // of a write
  Address source{};
  std::uint32_t queue_key = 0;
  // Of the request, which answers and responses carry back: its place in the send queue, and how
  // often that was used.
  std::uint32_t request = 0;
  std::uint32_t generation = 0;
  __be32 immediate = 0;
  std::uint32_t remote_key = 0;
  std::uint64_t remote_address = 0;
  std::uint64_t offset = 0;  // of this packet's payload
  std::uint64_t total = 0;   // of the whole request
};

// Payload of one packet of a write or of a read's response.
inline constexpr std::uint64_t kSegmentBytes = 32768;

}  // namespace pairbench::soft_efa
