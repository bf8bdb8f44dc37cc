// Registered memory. The device touches nothing else, and nothing that has been deregistered.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <mutex>
#include <span>

#include "soft_efa/device.h"

namespace pairbench::soft_efa {

struct MemoryRegion : ibv_mr {
  unsigned rights;  // ibv_access_flags
};

// One per process. Local and remote key of a region are one number: its place here, and how often
// that was used.
class MemoryRegions {
 public:
  // Null and errno where there is no room, or the limit on locked memory is reached and counts.
  ibv_mr* add(ibv_pd* domain, void* address, std::size_t length, unsigned rights);
  // Returns once the device is not at the memory.
  void remove(ibv_mr* region);

  // Calls `use` if all pieces lie within regions of the rights needed; they stay so until it
  // returns. Otherwise returns false.
  template <class Use>
  bool with(std::span<const ibv_sge> pieces, unsigned rights, Use use) {
    const std::lock_guard lock(mutex_);
    for (const ibv_sge& piece : pieces)
      if (piece.length > 0 && !allowed(piece, rights)) return false;
    use();
    return true;
  }

 private:
  struct Place {
    MemoryRegion* region = nullptr;
    std::uint8_t uses = 0;
  };

  bool allowed(const ibv_sge& piece, unsigned rights) const;
  bool may_lock(std::size_t length) const;

  std::mutex mutex_;
  std::array<Place, kMaxRegions> places_;
  std::uint32_t next_ = 1;
  std::size_t registered_ = 0;  // bytes
};

MemoryRegions& memory_regions();

}  // namespace pairbench::soft_efa
