// One direction of an in-process connection: a ring of messages that one thread writes and one
// reads.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pairbench::inproc {

inline constexpr std::size_t kCacheLine = 64;
inline constexpr std::size_t kMaxInline = 39;  // what the line has left

// A message fills one cache line, so that a small one crosses between cores in a single transfer.
// Larger payloads stay in the sender's memory until the receiver has copied them.
struct alignas(kCacheLine) MessageSlot {
  std::atomic<std::uint32_t> sequence{0};  // message n is there once this is n + 1 (modulo 2^32)
  std::uint32_t imm = 0;
  std::uint64_t size = 0;
  const std::byte* data = nullptr;  // null: the payload is inline
  bool has_imm = false;
  std::array<std::byte, kMaxInline> payload;
};
static_assert(sizeof(MessageSlot) == kCacheLine);

struct Ring {
  explicit Ring(std::size_t depth) : slots(std::bit_ceil(depth)) {}

  MessageSlot& slot(std::uint64_t n) { return slots[n & (slots.size() - 1)]; }

  std::vector<MessageSlot> slots;
  // Written by the receiver: messages before this number are copied and their slots free.
  alignas(kCacheLine) std::atomic<std::uint64_t> consumed{0};
  // The receiver is reading the sender's memory; the sender has gone. Only for payloads that are
  // not inline.
  alignas(kCacheLine) std::atomic<bool> reading{false};
  std::atomic<bool> closed{false};
};

}  // namespace pairbench::inproc
