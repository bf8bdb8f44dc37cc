#include "soft_efa/address_handle.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace pairbench::soft_efa {

bool operator==(const ibv_gid& a, const ibv_gid& b) {
  return std::memcmp(a.raw, b.raw, sizeof a.raw) == 0;
}

ibv_ah* AddressHandles::add(ibv_pd* domain, const ibv_gid& gid) {
  auto handle = std::make_unique<AddressHandle>();
  handle->context = domain->context;
  handle->pd = domain;
  handle->gid = gid;
  const std::lock_guard lock(mutex_);
  Place* place = find(gid);
  if (place == nullptr) place = find_free();
  if (place == nullptr) {
    errno = ENOMEM;
    return nullptr;
  }
  place->gid = gid;
  ++place->handles;
  handle->number = static_cast<std::uint16_t>(place - places_.data());
  return handle.release();
}

void AddressHandles::remove(ibv_ah* handle) {
  const std::unique_ptr<AddressHandle> owner(static_cast<AddressHandle*>(handle));
  const std::lock_guard lock(mutex_);
  --places_[owner->number].handles;
}

std::uint16_t AddressHandles::number_of(const ibv_gid& gid) {
  const std::lock_guard lock(mutex_);
  const Place* place = find(gid);
  return place == nullptr ? kUnknownSender : static_cast<std::uint16_t>(place - places_.data());
}

AddressHandles::Place* AddressHandles::find(const ibv_gid& gid) {
  const auto place =
      std::ranges::find_if(places_, [&](const Place& p) { return p.handles > 0 && p.gid == gid; });
  return place == places_.end() ? nullptr : &*place;
}

AddressHandles::Place* AddressHandles::find_free() {
  const auto place = std::ranges::find(places_, 0, &Place::handles);
  return place == places_.end() ? nullptr : &*place;
}

AddressHandles& address_handles() {
  static AddressHandles& handles = *new AddressHandles;
  return handles;
}

}  // namespace pairbench::soft_efa
