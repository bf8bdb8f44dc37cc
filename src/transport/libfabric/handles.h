// Owners for libfabric's objects: one deleter for everything that has a fid, one for fi_info.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <cstdio>
#include <exception>
#include <memory>

namespace pairbench::libfabric {

struct FidDeleter {
  // A destructor cannot throw; the only failure here is closing in the wrong order (FI_EBUSY). A
  // provider that has operations under way may refuse too, when an error or an interrupt ends them:
  // that has its own message.
  template <class Fid>
  void operator()(Fid* object) const noexcept {
    if (const int rc = fi_close(&object->fid); rc != 0 && std::uncaught_exceptions() == 0)
      std::fprintf(stderr, "warning: fi_close: %s\n", fi_strerror(-rc));
  }
};

template <class Fid>
using Handle = std::unique_ptr<Fid, FidDeleter>;

using FabricHandle = Handle<fid_fabric>;
using DomainHandle = Handle<fid_domain>;
using EndpointHandle = Handle<fid_ep>;
using CompletionQueueHandle = Handle<fid_cq>;
using AddressVectorHandle = Handle<fid_av>;
using MemoryHandle = Handle<fid_mr>;

struct InfoDeleter {
  void operator()(fi_info* info) const noexcept { fi_freeinfo(info); }
};
using InfoHandle = std::unique_ptr<fi_info, InfoDeleter>;

}  // namespace pairbench::libfabric
