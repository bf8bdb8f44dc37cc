#include "workload/payload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace pairbench {
namespace {

// Differs between neighbouring offsets, sequence numbers and directions.
std::byte pattern(std::uint64_t sequence, std::uint8_t direction, std::uint64_t offset) {
  const std::uint64_t mixed = (sequence * 0x9E3779B97F4A7C15u) ^ (offset * 0xC2B2AE3D27D4EB4Fu) ^
                              (std::uint64_t{direction} << 24);
  return static_cast<std::byte>(mixed >> 56 ^ mixed >> 24);
}

[[noreturn]] void mismatch(std::string message, std::string cause) {
  throw Error(
      ExitStatus::failed, Phase::measure, std::move(message), std::move(cause),
      "the data path corrupts, loses or doubles data: do not trust it before that is found");
}

}  // namespace

CheckedPayload::CheckedPayload(LocalSlice memory, std::uint64_t size, std::uint64_t stride,
                               std::uint64_t slots, std::uint8_t outbound, std::uint8_t inbound)
    : memory_(memory),
      size_(size),
      stride_(stride),
      outbound_(outbound),
      inbound_(inbound),
      used_(slots) {
  for (std::uint64_t slot = slots; slot-- > 0;) free_.push_back(slot);
}

LocalSlice CheckedPayload::slice(std::uint64_t slot) const {
  return {memory_.data + slot * stride_, size_, memory_.key};
}

std::uint64_t CheckedPayload::acquire(std::uint64_t sequence) {
  const std::uint64_t slot = free_.back();
  free_.pop_back();
  used_[slot] = true;
  fill(memory_.data + slot * stride_, sequence);
  return slot;
}

void CheckedPayload::release(std::uint64_t slot) {
  if (slot >= used_.size() || !used_[slot])
    mismatch(fmt::format("the completion of a send from slot {} came, which is not in use", slot),
             "a completion was doubled or made up");
  used_[slot] = false;
  free_.push_back(slot);
}

void CheckedPayload::fill(std::byte* data, std::uint64_t sequence) const {
  if (size_ < kHeader) {
    std::memset(data, outbound_, size_);
    return;
  }
  std::memcpy(data, &sequence, sizeof sequence);
  for (std::uint64_t i = sizeof sequence; i < size_; ++i) data[i] = pattern(sequence, outbound_, i);
}

void CheckedPayload::verify(const std::byte* data, std::uint64_t size) {
  if (size != size_)
    mismatch(fmt::format("a message of {} bytes arrived, {} were sent", size, size_),
             "length mismatch");
  if (size < kHeader) return;
  std::uint64_t sequence = 0;
  std::memcpy(&sequence, data, sizeof sequence);
  for (std::uint64_t i = sizeof sequence; i < size; ++i)
    if (data[i] != pattern(sequence, inbound_, i))
      mismatch(fmt::format("message {} differs at byte {} of {}", sequence, i, size),
               fmt::format("expected {:#04x}, found {:#04x}",
                           std::to_integer<unsigned>(pattern(sequence, inbound_, i)),
                           std::to_integer<unsigned>(data[i])));
  if (sequence < contiguous_ || std::find(ahead_.begin(), ahead_.end(), sequence) != ahead_.end())
    mismatch(fmt::format("message {} arrived twice", sequence), "duplicate delivery");
  ahead_.push_back(sequence);
  for (auto next = ahead_.end();
       (next = std::find(ahead_.begin(), ahead_.end(), contiguous_)) != ahead_.end();) {
    *next = ahead_.back();
    ahead_.pop_back();
    ++contiguous_;
  }
}

void CheckedPayload::start_block() {
  contiguous_ = 0;
  ahead_.clear();
}

void CheckedPayload::finish_block(std::uint64_t messages) const {
  if (size_ < kHeader) return;
  if (contiguous_ != messages || !ahead_.empty())
    mismatch(fmt::format("of {} messages number {} did not arrive", messages, contiguous_),
             "the sequence numbers that arrived have a gap");
}

}  // namespace pairbench
