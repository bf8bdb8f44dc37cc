// Completion queues. `ibv_cq_ex` is a base, so that a pointer to it leads back here; its functions
// are filled in by polling.cc.
#pragma once

#include <infiniband/efadv.h>
#include <infiniband/verbs.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <vector>

#include "soft_efa/status.h"

namespace pairbench::soft_efa {

class QueuePair;
using Time = std::chrono::steady_clock::time_point;

// In place of an address handle's number.
inline constexpr std::uint16_t kUnknownSender = 0xffff;

struct Completion {
  std::uint64_t wr_id = 0;
  QueuePair* owner = nullptr;
  int request = -1;  // of the send queue, free again when this has been polled; -1: a receive
  Status status = Status::ok;
  ibv_wc_opcode opcode = IBV_WC_SEND;
  std::uint32_t byte_len = 0;
  std::uint32_t queue_pair = 0;
  // Of receives only.
  std::uint32_t source_queue_pair = 0;
  std::uint16_t source_handle = kUnknownSender;
  ibv_gid source{};
  bool has_immediate = false;
  bool took_no_receive = false;
  __be32 immediate = 0;
};

// Push from any thread; polling is the application's, one thread at a time.
class CompletionQueue : public ibv_cq_ex, public efadv_cq {
 public:
  CompletionQueue(ibv_context* context, const ibv_cq_init_attr_ex& attributes);

  static CompletionQueue& of(ibv_cq* queue) {
    return of(reinterpret_cast<ibv_cq_ex*>(queue));  // libibverbs' own cast: they begin alike
  }
  static CompletionQueue& of(ibv_cq_ex* queue) { return *static_cast<CompletionQueue*>(queue); }
  static CompletionQueue& of(efadv_cq* queue) { return *static_cast<CompletionQueue*>(queue); }
  ibv_cq* base() { return ibv_cq_ex_to_cq(this); }

  // Does not allocate. Called by a queue pair that holds its lock.
  void push(const Completion& completion);

  // The next one becomes the current one; false when there is none. `begin` moves packets first.
  bool begin();
  bool next();
  const Completion& current() const { return current_; }

  // While the application polls, it moves the packets itself.
  bool polled_since(Time time) const;

  void attach(QueuePair& queue_pair);
  // Also drops what it left in the queue. The device does not use it any more afterwards.
  void detach(QueuePair& queue_pair);
  bool in_use();

 private:
  bool pop();
  void progress();
  void yield_when_dry(bool found);

  // Taken in this order: members, the lock of a queue pair, ring.
  std::mutex members_mutex_;
  std::vector<QueuePair*> members_;
  std::mutex ring_mutex_;
  std::vector<Completion> ring_;
  std::size_t head_ = 0;
  std::size_t count_ = 0;

  Completion current_;
  unsigned dry_polls_ = 0;
  std::atomic<Time> polled_{Time{}};
};

// polling.cc
void fill_in_polling(CompletionQueue& queue);
int poll_into(ibv_cq* queue, int most, ibv_wc* completions);

}  // namespace pairbench::soft_efa
