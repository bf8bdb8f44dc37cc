// Preloaded into a program over ibverbs, gives up the CPU when its poll finds nothing: a fair peer
// for `pairbench --completion yield` where both ends share one processor.
#include <dlfcn.h>
#include <infiniband/verbs.h>
#include <sched.h>

#include <cstdlib>

namespace {

using PollCq = int (*)(ibv_cq*, int, ibv_wc*);
using CreateCq = ibv_cq* (*)(ibv_context*, int, void*, ibv_comp_channel*, int);

PollCq poll_of_provider = nullptr;

int poll_or_yield(ibv_cq* queue, int count, ibv_wc* completions) {
  const int found = poll_of_provider(queue, count, completions);
  if (found == 0) sched_yield();
  return found;
}

}  // namespace

// ibv_poll_cq calls through the context, so that it is there that it can be replaced.
extern "C" ibv_cq* ibv_create_cq(ibv_context* context, int entries, void* cq_context,
                                 ibv_comp_channel* channel, int vector) {
  static const auto create = reinterpret_cast<CreateCq>(dlsym(RTLD_NEXT, "ibv_create_cq"));
  if (create == nullptr) std::abort();
  if (context->ops.poll_cq != poll_or_yield) {
    poll_of_provider = context->ops.poll_cq;
    context->ops.poll_cq = poll_or_yield;
  }
  return create(context, entries, cq_context, channel, vector);
}
