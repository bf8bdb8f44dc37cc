// The receiver's stamps of one stream: a bounded number of them, ever further apart.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/checkpoint.h"

namespace pairbench {

// Keeps the first checkpoint and one at least every `stride()` messages after it. When the storage
// is full, every second one goes and the stride doubles. Allocates nothing.
class Checkpoints {
 public:
  explicit Checkpoints(std::span<Checkpoint> storage) : storage_(storage) {}

  // Whether a stamp is due at this count.
  bool due(std::uint64_t messages) const { return messages >= next_; }

  void add(Ticks at, std::uint64_t messages) {
    if (used_ == storage_.size()) thin_out();
    storage_[used_++] = {at, messages};
    next_ = messages + stride_;
  }

  void clear() {
    used_ = 0;
    stride_ = 1;
    next_ = 1;
  }

  std::span<const Checkpoint> all() const { return storage_.first(used_); }
  std::uint64_t stride() const { return stride_; }

 private:
  void thin_out() {
    const std::size_t kept = (used_ + 1) / 2;
    for (std::size_t i = 1; i < kept; ++i) storage_[i] = storage_[2 * i];
    used_ = kept;
    stride_ *= 2;
  }

  std::span<Checkpoint> storage_;
  std::size_t used_ = 0;
  std::uint64_t stride_ = 1;
  std::uint64_t next_ = 1;
};

}  // namespace pairbench
