// What the preloaded library exports in libibverbs' place. Contracts are those of the manual pages.
#include <infiniband/verbs.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>

#include "soft_efa/address_handle.h"
#include "soft_efa/completion_queue.h"
#include "soft_efa/context.h"
#include "soft_efa/device.h"
#include "soft_efa/memory_region.h"
#include "soft_efa/queue_pair.h"

// verbs.h wraps these names; what is exported are the functions behind the wrappers.
#undef ibv_get_device_list
#undef ibv_query_port
#undef ibv_reg_mr

namespace {

using namespace pairbench::soft_efa;

[[gnu::constructor]] void before_main() {
  provide_sysfs();
}

template <class Handle>
Handle* unsupported() {
  errno = EOPNOTSUPP;
  return nullptr;
}

}  // namespace

extern "C" {

// Devices.

ibv_device** ibv_get_device_list(int* count) try {
  if (count != nullptr) *count = 0;
  auto list = std::make_unique<ibv_device*[]>(devices().size() + 1);
  for (std::size_t i = 0; i < devices().size(); ++i) list[i] = &devices()[i];
  if (count != nullptr) *count = static_cast<int>(devices().size());
  return list.release();
} catch (const std::exception& problem) {
  std::fprintf(stderr, "soft-efa: %s\n", problem.what());
  errno = EINVAL;
  return nullptr;
}

void ibv_free_device_list(ibv_device** list) {
  delete[] list;
}

const char* ibv_get_device_name(ibv_device* device) {
  return device->name;
}

int ibv_get_device_index(ibv_device* device) {
  return Device::of(device).index;
}

__be64 ibv_get_device_guid(ibv_device* device) {
  return Device::of(device).gid.global.interface_id;
}

ibv_context* ibv_open_device(ibv_device* device) {
  return open_context(device);
}

int ibv_close_device(ibv_context* context) {
  close_context(context);
  return 0;
}

int ibv_query_device(ibv_context* context, ibv_device_attr* attributes) {
  *attributes = device_attributes(Device::of(context));
  return 0;
}

int ibv_query_port(ibv_context*, std::uint8_t port, _compat_ibv_port_attr* attributes) {
  if (port != kPort) return EINVAL;
  const ibv_port_attr known = port_attributes();
  copy_known(attributes, offsetof(ibv_port_attr, port_cap_flags2), &known, sizeof known);
  return 0;
}

int ibv_query_gid(ibv_context* context, std::uint8_t, int index, ibv_gid* gid) {
  if (index != 0) return -1;
  *gid = Device::of(context).gid;
  return 0;
}

int _ibv_query_gid_ex(ibv_context* context, std::uint32_t port, std::uint32_t index,
                      ibv_gid_entry* entry, std::uint32_t, std::size_t size) {
  if (port != kPort || index != 0) return ENODATA;
  ibv_gid_entry known{};
  known.gid = Device::of(context).gid;
  known.port_num = port;
  known.gid_type = IBV_GID_TYPE_IB;
  copy_known(entry, size, &known, sizeof known);
  return 0;
}

int ibv_query_pkey(ibv_context*, std::uint8_t, int index, __be16* key) {
  *key = 0xffff;
  return index == 0 ? 0 : -1;
}

int ibv_get_async_event(ibv_context*, ibv_async_event*) {
  errno = EOPNOTSUPP;
  return -1;
}

int ibv_fork_init() {
  return 0;
}

ibv_fork_status ibv_is_fork_initialized() {
  return IBV_FORK_UNNEEDED;
}

// Protection domains, memory, address handles.

ibv_pd* ibv_alloc_pd(ibv_context* context) {
  auto* domain = new (std::nothrow) ibv_pd{};
  if (domain != nullptr) domain->context = context;
  return domain;
}

int ibv_dealloc_pd(ibv_pd* domain) {
  delete domain;
  return 0;
}

ibv_mr* ibv_reg_mr(ibv_pd* domain, void* address, std::size_t length, int rights) {
  return memory_regions().add(domain, address, length, static_cast<unsigned>(rights));
}

ibv_mr* ibv_reg_mr_iova2(ibv_pd* domain, void* address, std::size_t length, std::uint64_t iova,
                         unsigned rights) {
  if (iova != reinterpret_cast<std::uintptr_t>(address)) return unsupported<ibv_mr>();
  return memory_regions().add(domain, address, length, rights);
}

ibv_mr* ibv_reg_dmabuf_mr(ibv_pd*, std::uint64_t, std::size_t, std::uint64_t, int, int) {
  return unsupported<ibv_mr>();
}

int ibv_dereg_mr(ibv_mr* region) {
  memory_regions().remove(region);
  return 0;
}

ibv_ah* ibv_create_ah(ibv_pd* domain, ibv_ah_attr* attributes) {
  return address_handles().add(domain, attributes->grh.dgid);
}

int ibv_destroy_ah(ibv_ah* handle) {
  address_handles().remove(handle);
  return 0;
}

// Completion queues.

ibv_comp_channel* ibv_create_comp_channel(ibv_context*) {
  return unsupported<ibv_comp_channel>();
}

ibv_cq* ibv_create_cq(ibv_context* context, int entries, void* cq_context,
                      ibv_comp_channel* channel, int) {
  ibv_cq_init_attr_ex attributes{};
  attributes.cqe = static_cast<std::uint32_t>(entries);
  attributes.cq_context = cq_context;
  attributes.channel = channel;
  ibv_cq_ex* queue = create_completion_queue(context, attributes);
  return queue == nullptr ? nullptr : ibv_cq_ex_to_cq(queue);
}

int ibv_destroy_cq(ibv_cq* base) {
  CompletionQueue& queue = CompletionQueue::of(base);
  if (queue.in_use()) return EBUSY;
  delete &queue;
  return 0;
}

// Queue pairs.

ibv_srq* ibv_create_srq(ibv_pd*, ibv_srq_init_attr*) {
  return unsupported<ibv_srq>();
}

ibv_qp* ibv_create_qp(ibv_pd* domain, ibv_qp_init_attr* asked) {
  if (asked->qp_type != IBV_QPT_UD) return unsupported<ibv_qp>();
  ibv_qp_init_attr_ex attributes{};
  attributes.qp_context = asked->qp_context;
  attributes.send_cq = asked->send_cq;
  attributes.recv_cq = asked->recv_cq;
  attributes.cap = asked->cap;
  attributes.qp_type = asked->qp_type;
  attributes.pd = domain;
  return create_queue_pair(domain->context, attributes);
}

ibv_qp_ex* ibv_qp_to_qp_ex(ibv_qp* base) {
  return &QueuePair::of(base);
}

int ibv_modify_qp(ibv_qp* base, ibv_qp_attr* attributes, int mask) {
  QueuePair::of(base).modify(*attributes, mask);
  return 0;
}

int ibv_query_qp(ibv_qp* base, ibv_qp_attr* attributes, int, ibv_qp_init_attr* created) {
  *attributes = {};
  attributes->qp_state = attributes->cur_qp_state = base->state;
  attributes->qkey = QueuePair::of(base).queue_key();
  *created = {};
  created->send_cq = base->send_cq;
  created->recv_cq = base->recv_cq;
  created->qp_type = base->qp_type;
  return 0;
}

int ibv_query_qp_data_in_order(ibv_qp*, ibv_wr_opcode, std::uint32_t) {
  return 0;
}

int ibv_destroy_qp(ibv_qp* base) {
  delete &QueuePair::of(base);
  return 0;
}

}  // extern "C"
