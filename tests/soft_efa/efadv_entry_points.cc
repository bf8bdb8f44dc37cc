// What the preloaded library exports in libefa's place. Contracts are those of the manual pages.
#include <infiniband/efadv.h>

#include <cerrno>

#include "soft_efa/address_handle.h"
#include "soft_efa/completion_queue.h"
#include "soft_efa/context.h"
#include "soft_efa/device.h"
#include "soft_efa/queue_pair.h"

namespace {

using namespace pairbench::soft_efa;

#ifdef SOFT_EFA_UNSOLICITED_WRITES
constexpr std::uint64_t kCompletionFlags = EFADV_WC_EX_WITH_SGID | EFADV_WC_EX_WITH_IS_UNSOLICITED;
#else
constexpr std::uint64_t kCompletionFlags = EFADV_WC_EX_WITH_SGID;
#endif

}  // namespace

extern "C" {

int efadv_query_device(ibv_context*, efadv_device_attr* attributes, std::uint32_t size) {
  const efadv_device_attr known = efa_attributes();
  copy_known(attributes, size, &known, sizeof known);
  return 0;
}

int efadv_query_ah(ibv_ah* handle, efadv_ah_attr* attributes, std::uint32_t size) {
  efadv_ah_attr known{};
  known.ahn = static_cast<AddressHandle*>(handle)->number;
  copy_known(attributes, size, &known, sizeof known);
  return 0;
}

ibv_cq_ex* efadv_create_cq(ibv_context* context, ibv_cq_init_attr_ex* attributes,
                           efadv_cq_init_attr* efa_attributes, std::uint32_t) {
  if (efa_attributes->comp_mask != 0 || (efa_attributes->wc_flags & ~kCompletionFlags) != 0) {
    errno = EOPNOTSUPP;
    return nullptr;
  }
  return create_completion_queue(context, *attributes);
}

efadv_cq* efadv_cq_from_ibv_cq_ex(ibv_cq_ex* queue) {
  return &CompletionQueue::of(queue);
}

ibv_qp* efadv_create_qp_ex(ibv_context* context, ibv_qp_init_attr_ex* attributes,
                           efadv_qp_init_attr* efa_attributes, std::uint32_t) {
  if (efa_attributes->driver_qp_type != EFADV_QP_DRIVER_TYPE_SRD) {
    errno = EOPNOTSUPP;
    return nullptr;
  }
  ibv_qp* queue_pair = create_queue_pair(context, *attributes);
#ifdef SOFT_EFA_UNSOLICITED_WRITES
  if (queue_pair != nullptr)
    QueuePair::of(queue_pair).responder().unsolicited_writes =
        (efa_attributes->flags & EFADV_QP_FLAGS_UNSOLICITED_WRITE_RECV) != 0;
#endif
  return queue_pair;
}

#ifdef SOFT_EFA_UNSOLICITED_WRITES
int efadv_query_mr(ibv_mr*, efadv_mr_attr* attributes, std::uint32_t size) {
  const efadv_mr_attr known{};
  copy_known(attributes, size, &known, sizeof known);
  return 0;
}
#endif

}  // extern "C"
