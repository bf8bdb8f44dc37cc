#include "soft_efa/context.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>

#include "soft_efa/completion_queue.h"
#include "soft_efa/device.h"
#include "soft_efa/queue_pair.h"

namespace pairbench::soft_efa {
namespace {

int query_device_ex(ibv_context* context, const ibv_query_device_ex_input*,
                    ibv_device_attr_ex* attributes, std::size_t size) {
  ibv_device_attr_ex known{};
  known.orig_attr = device_attributes(Device::of(context));
  copy_known(attributes, size, &known, sizeof known);
  return 0;
}

int query_port(ibv_context*, std::uint8_t port, ibv_port_attr* attributes, std::size_t size) {
  if (port != kPort) return EINVAL;
  const ibv_port_attr known = port_attributes();
  copy_known(attributes, size, &known, sizeof known);
  return 0;
}

ibv_cq_ex* create_cq_ex(ibv_context* context, ibv_cq_init_attr_ex* attributes) {
  return create_completion_queue(context, *attributes);
}

ibv_qp* create_qp_ex(ibv_context* context, ibv_qp_init_attr_ex* attributes) {
  return create_queue_pair(context, *attributes);
}

}  // namespace

void copy_known(void* to, std::size_t size, const void* from, std::size_t known) {
  std::memset(to, 0, size);
  std::memcpy(to, from, std::min(size, known));
}

ibv_context* open_context(ibv_device* device) {
  auto* extended = new (std::nothrow) verbs_context{};
  if (extended == nullptr) return nullptr;
  extended->sz = sizeof *extended;
  extended->query_device_ex = query_device_ex;
  extended->query_port = query_port;
  extended->create_cq_ex = create_cq_ex;
  extended->create_qp_ex = create_qp_ex;
  ibv_context& context = extended->context;
  context.device = device;
  context.cmd_fd = context.async_fd = -1;
  context.num_comp_vectors = 1;
  context.abi_compat = __VERBS_ABI_IS_EXTENDED;
  context.ops.post_send = post_sends;
  context.ops.post_recv = post_receives;
  context.ops.poll_cq = poll_into;
  context.ops.req_notify_cq = [](ibv_cq*, int) { return EOPNOTSUPP; };
  pthread_mutex_init(&context.mutex, nullptr);
  return &context;
}

void close_context(ibv_context* context) {
  delete verbs_get_ctx(context);
}

ibv_cq_ex* create_completion_queue(ibv_context* context, const ibv_cq_init_attr_ex& attributes) {
  if (attributes.channel != nullptr || attributes.cqe == 0) {
    errno = attributes.cqe == 0 ? EINVAL : EOPNOTSUPP;
    return nullptr;
  }
  try {
    return new CompletionQueue(context, attributes);
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
    return nullptr;
  }
}

ibv_qp* create_queue_pair(ibv_context* context, const ibv_qp_init_attr_ex& attributes) {
  try {
    return &(new QueuePair(context, attributes))->qp_base;
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "soft-efa: no queue pair: %s\n", error.what());
    errno = error.code().value();
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
  }
  return nullptr;
}

}  // namespace pairbench::soft_efa
