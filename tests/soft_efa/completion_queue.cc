#include "soft_efa/completion_queue.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>

#include "soft_efa/counters.h"
#include "soft_efa/queue_pair.h"

namespace pairbench::soft_efa {
namespace {

// Where both ends share a CPU, the other one must get it: without giving way small messages took
// 10 ms.
constexpr unsigned kDryPollsBeforeYield = 50;

}  // namespace

CompletionQueue::CompletionQueue(ibv_context* opened, const ibv_cq_init_attr_ex& attributes)
    : ibv_cq_ex{}, efadv_cq{}, ring_(attributes.cqe) {
  context = opened;
  cq_context = attributes.cq_context;
  cqe = static_cast<int>(attributes.cqe);
  pthread_mutex_init(&mutex, nullptr);
  pthread_cond_init(&cond, nullptr);
  fill_in_polling(*this);
}

void CompletionQueue::push(const Completion& completion) {
  if (completion.status != Status::ok) count(Counter::failed);
  const std::lock_guard lock(ring_mutex_);
  if (count_ == ring_.size()) {
    count(Counter::overruns);
    std::fputs("soft-efa: a completion queue has overrun\n", stderr);
    return;
  }
  ring_[(head_ + count_++) % ring_.size()] = completion;
}

bool CompletionQueue::begin() {
  polled_ = std::chrono::steady_clock::now();
  const std::lock_guard lock(members_mutex_);
  if (pop()) return true;
  progress();
  const bool found = pop();
  yield_when_dry(found);
  return found;
}

bool CompletionQueue::next() {
  const std::lock_guard lock(members_mutex_);
  return pop();
}

bool CompletionQueue::pop() {
  {
    const std::lock_guard lock(ring_mutex_);
    if (count_ == 0) return false;
    current_ = ring_[head_];
    head_ = (head_ + 1) % ring_.size();
    --count_;
  }
  if (current_.request >= 0) current_.owner->release(current_.request);
  wr_id = current_.wr_id;
  status = verbs_status(current_.status);
  return true;
}

void CompletionQueue::progress() {
  for (QueuePair* queue_pair : members_) queue_pair->try_progress();
}

void CompletionQueue::yield_when_dry(bool found) {
  dry_polls_ = found ? 0 : dry_polls_ + 1;
  if (dry_polls_ < kDryPollsBeforeYield) return;
  dry_polls_ = 0;
  sched_yield();
}

bool CompletionQueue::polled_since(Time time) const {
  return polled_.load() > time;
}

void CompletionQueue::attach(QueuePair& queue_pair) {
  const std::lock_guard lock(members_mutex_);
  if (std::ranges::find(members_, &queue_pair) == members_.end()) members_.push_back(&queue_pair);
}

void CompletionQueue::detach(QueuePair& queue_pair) {
  const std::lock_guard lock(members_mutex_);
  std::erase(members_, &queue_pair);
  const std::lock_guard ring_lock(ring_mutex_);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const Completion& completion = ring_[(head_ + i) % ring_.size()];
    if (completion.owner != &queue_pair) ring_[(head_ + kept++) % ring_.size()] = completion;
  }
  count_ = kept;
}

bool CompletionQueue::in_use() {
  const std::lock_guard lock(members_mutex_);
  return !members_.empty();
}

}  // namespace pairbench::soft_efa
