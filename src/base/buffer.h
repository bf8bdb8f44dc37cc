// Memory for messages: page-aligned, touched, so that no page fault falls into a measurement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pairbench {

// Owns an anonymous mapping of at least `bytes` bytes (never less than one page), touched on
// construction by the calling thread, so that it lies on that thread's NUMA node. Throws
// Error(failed, open) naming the bytes and the limit when the system will not give them.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  // Keeps it from being paged out, where that takes no more than a quarter of the limit of locked
  // memory. False: it may be paged out.
  bool lock() noexcept;

  std::span<std::byte> bytes() const noexcept { return {data_, size_}; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace pairbench
