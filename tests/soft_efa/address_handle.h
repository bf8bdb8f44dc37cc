// Address handles: a GID that can be sent to, with a number that belongs to the GID.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <cstdint>
#include <mutex>

#include "soft_efa/completion_queue.h"
#include "soft_efa/device.h"

namespace pairbench::soft_efa {

struct AddressHandle : ibv_ah {
  ibv_gid gid;
  std::uint16_t number;
};

bool operator==(const ibv_gid& a, const ibv_gid& b);

// One per process.
class AddressHandles {
 public:
  // All handles of a GID have one number. Null and errno where there is no room.
  ibv_ah* add(ibv_pd* domain, const ibv_gid& gid);
  void remove(ibv_ah* handle);

  // The number of a sender's GID; kUnknownSender where nobody has a handle of it.
  std::uint16_t number_of(const ibv_gid& gid);

 private:
  struct Place {
    ibv_gid gid{};
    int handles = 0;
  };

  Place* find(const ibv_gid& gid);
  Place* find_free();

  std::mutex mutex_;
  std::array<Place, kMaxAddressHandles> places_;
};

AddressHandles& address_handles();

}  // namespace pairbench::soft_efa
