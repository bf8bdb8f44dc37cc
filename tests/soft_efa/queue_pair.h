// A queue pair: its port, its two halves, and a thread that moves packets while the application
// does not poll. `ibv_qp_ex` is the base, so that a pointer to it leads back here; its functions
// are filled in by work_requests.cc.
#pragma once

#include <infiniband/verbs.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "soft_efa/completion_queue.h"
#include "soft_efa/port.h"
#include "soft_efa/requester.h"
#include "soft_efa/responder.h"

namespace pairbench::soft_efa {

class QueuePair : public ibv_qp_ex {
 public:
  // Throws std::system_error when the attributes are beyond the device, or there is no number or no
  // thread.
  QueuePair(ibv_context* context, const ibv_qp_init_attr_ex& attributes);
  // What was delivered before is still acknowledged, where the peers take it in time.
  ~QueuePair();

  static QueuePair& of(ibv_qp_ex* queue_pair) { return *static_cast<QueuePair*>(queue_pair); }
  static QueuePair& of(ibv_qp* queue_pair) {
    return of(reinterpret_cast<ibv_qp_ex*>(queue_pair));  // its first member
  }

  // Guards both halves. Work requests hold it from ibv_wr_start to ibv_wr_complete.
  std::mutex& lock() { return mutex_; }
  Requester& requester() { return requester_; }
  Responder& responder() { return responder_; }

  void modify(const ibv_qp_attr& attributes, int mask);
  std::uint32_t queue_key() const { return responder_.queue_key; }

  // Moves packets, unless another thread is at it.
  void try_progress();
  // The completion of a send has been polled.
  void release(int request);

  // What ibv_wr_start began, until ibv_wr_complete or ibv_wr_abort.
  struct Batch {
    std::vector<Request*> requests;
    Request* current = nullptr;
    int error = 0;
  };
  Batch& batch() { return batch_; }

 private:
  void progress(Time now);
  void dispatch(const Port::Packet& packet);
  void serve();
  void wait(bool polled, bool pending);
  void say_farewell();

  std::mutex mutex_;
  Port port_;
  CompletionQueue& send_completions_;
  CompletionQueue& receive_completions_;
  Requester requester_;
  Responder responder_;
  Batch batch_;
  Descriptor wake_up_;
  std::atomic<bool> closing_ = false;
  std::thread thread_;
};

// work_requests.cc
void fill_in_work_requests(QueuePair& queue_pair);
int post_sends(ibv_qp* queue_pair, ibv_send_wr* list, ibv_send_wr** bad);
int post_receives(ibv_qp* queue_pair, ibv_recv_wr* list, ibv_recv_wr** bad);

}  // namespace pairbench::soft_efa
