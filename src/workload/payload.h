// What is in the messages: nothing in particular while measuring, a pattern when checking.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/region.h"

namespace pairbench {

// One buffer for every message; content never looked at.
class PlainPayload {
 public:
  static constexpr bool kChecks = false;  // by slots of their own and sequence numbers
  static constexpr bool kReads = false;   // what arrived

  PlainPayload(LocalSlice memory, std::uint64_t size) : slice_(memory.first(size)) {}

  // The slot of a message to be sent, its memory, and the slot's return after the completion.
  std::uint64_t acquire(std::uint64_t /*sequence*/) { return 0; }
  const LocalSlice& slice(std::uint64_t /*slot*/) const { return slice_; }
  void release(std::uint64_t /*slot*/) {}
  void verify(const std::byte* /*data*/, std::uint64_t /*size*/) {}

 private:
  LocalSlice slice_;
};

// A message carries its sequence number and a pattern made of sequence, direction and offset; every
// byte is compared. Messages may arrive in any order, each once. Below 16 bytes there is no room
// for that: size alone is checked, and the caller's counts.
class CheckedPayload {
 public:
  static constexpr bool kChecks = true;
  static constexpr bool kReads = true;
  static constexpr std::uint64_t kHeader = 16;

  // `outbound` and `inbound` tell the two directions' patterns apart.
  CheckedPayload(LocalSlice memory, std::uint64_t size, std::uint64_t stride, std::uint64_t slots,
                 std::uint8_t outbound, std::uint8_t inbound);

  // Whether a slot is free; when none is, a completion has to be polled first.
  bool can_acquire() const { return !free_.empty(); }
  std::uint64_t acquire(std::uint64_t sequence);
  LocalSlice slice(std::uint64_t slot) const;
  // Throws Error(failed, measure) for a slot that is not in use: a completion that was made up.
  void release(std::uint64_t slot);

  // Throws Error(failed, measure) that names message, offset, and both bytes.
  void verify(const std::byte* data, std::uint64_t size);

  // Starts a block of at most `messages` expected messages (0: unknown): sequence numbers begin at
  // 0 again.
  void start_block();
  // Throws unless exactly the sequence numbers 0 … messages-1 arrived.
  void finish_block(std::uint64_t messages) const;

 private:
  void fill(std::byte* data, std::uint64_t sequence) const;

  LocalSlice memory_;
  std::uint64_t size_;
  std::uint64_t stride_;
  std::uint8_t outbound_;
  std::uint8_t inbound_;
  std::vector<std::uint64_t> free_;
  std::vector<bool> used_;  // by slot
  // The set of sequence numbers seen: all below `contiguous_`, and those in `ahead_`.
  std::uint64_t contiguous_ = 0;
  std::vector<std::uint64_t> ahead_;
};

}  // namespace pairbench
