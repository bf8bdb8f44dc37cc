#include "soft_efa/memory_region.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "soft_efa/settings.h"

namespace pairbench::soft_efa {
namespace {

constexpr unsigned kUsesBits = 8;

}  // namespace

// Places are taken in turn, so that a key that has been given back is not soon valid again; 0 is
// none.
ibv_mr* MemoryRegions::add(ibv_pd* domain, void* address, std::size_t length, unsigned rights) {
  auto region = std::make_unique<MemoryRegion>();
  region->context = domain->context;
  region->pd = domain;
  region->addr = address;
  region->length = length;
  region->rights = rights;
  const std::lock_guard lock(mutex_);
  for (int tries = 1; tries < kMaxRegions; ++tries) {
    const std::uint32_t index = next_;
    next_ = next_ + 1 < kMaxRegions ? next_ + 1 : 1;
    Place& place = places_[index];
    if (place.region != nullptr) continue;
    if (!may_lock(length)) break;
    registered_ += length;
    place.region = region.get();
    region->handle = index;
    region->lkey = region->rkey = index << kUsesBits | ++place.uses;
    return region.release();
  }
  errno = ENOMEM;
  return nullptr;
}

void MemoryRegions::remove(ibv_mr* region) {
  const std::unique_ptr<MemoryRegion> owner(static_cast<MemoryRegion*>(region));
  const std::lock_guard lock(mutex_);
  places_[region->handle].region = nullptr;
  registered_ -= region->length;
}

bool MemoryRegions::may_lock(std::size_t length) const {
  rlimit limit{};
  return !settings().counts_locked_memory || getrlimit(RLIMIT_MEMLOCK, &limit) != 0 ||
         length <= limit.rlim_cur - std::min<rlim_t>(registered_, limit.rlim_cur);
}

bool MemoryRegions::allowed(const ibv_sge& piece, unsigned rights) const {
  const std::uint32_t index = piece.lkey >> kUsesBits;
  if (index >= places_.size()) return false;
  const MemoryRegion* region = places_[index].region;
  if (region == nullptr || region->lkey != piece.lkey || (region->rights & rights) != rights)
    return false;
  const auto begin = reinterpret_cast<std::uintptr_t>(region->addr);
  return piece.addr >= begin && piece.addr - begin <= region->length &&
         piece.length <= region->length - (piece.addr - begin);
}

MemoryRegions& memory_regions() {
  static MemoryRegions& regions = *new MemoryRegions;
  return regions;
}

}  // namespace pairbench::soft_efa
