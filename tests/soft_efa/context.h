// An opened device: the table of functions through which libibverbs' inline calls come.
#pragma once

#include <infiniband/verbs.h>

namespace pairbench::soft_efa {

// Null when there is no memory.
ibv_context* open_context(ibv_device* device);
void close_context(ibv_context* context);

// Copies what the caller's structure has room for; what it has beyond stays zero.
void copy_known(void* to, std::size_t size, const void* from, std::size_t known);

ibv_cq_ex* create_completion_queue(ibv_context* context, const ibv_cq_init_attr_ex& attributes);
// Null and errno on failure.
ibv_qp* create_queue_pair(ibv_context* context, const ibv_qp_init_attr_ex& attributes);

}  // namespace pairbench::soft_efa
