// Ownership of libibverbs' objects: destroyed in the order opposite to their declaration.
#pragma once

#include <infiniband/verbs.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace pairbench::verbs {

// A destructor cannot throw; the only failure here is destroying in the wrong order (EBUSY).
template <auto destroy>
struct Destroy {
  template <class T>
  void operator()(T* object) const noexcept {
    if (const int rc = destroy(object); rc != 0)
      std::fprintf(stderr, "warning: libibverbs refuses to close an object: %s\n",
                   std::strerror(rc > 0 ? rc : errno));
  }
};

using ContextHandle = std::unique_ptr<ibv_context, Destroy<ibv_close_device>>;
using ProtectionDomainHandle = std::unique_ptr<ibv_pd, Destroy<ibv_dealloc_pd>>;
using MemoryHandle = std::unique_ptr<ibv_mr, Destroy<ibv_dereg_mr>>;
using EventChannelHandle = std::unique_ptr<ibv_comp_channel, Destroy<ibv_destroy_comp_channel>>;
using CompletionQueueHandle = std::unique_ptr<ibv_cq, Destroy<ibv_destroy_cq>>;
using QueuePairHandle = std::unique_ptr<ibv_qp, Destroy<ibv_destroy_qp>>;

}  // namespace pairbench::verbs
