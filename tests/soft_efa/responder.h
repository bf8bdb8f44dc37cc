// The receiving half of a queue pair: posted receives, answers to requests, and data for reads.
#pragma once

#include <infiniband/verbs.h>

#include <vector>

#include "soft_efa/completion_queue.h"
#include "soft_efa/port.h"

namespace pairbench::soft_efa {

// Guarded by the queue pair's lock. Only the constructor allocates.
class Responder {
 public:
  Responder(Port& port, CompletionQueue& completions, QueuePair& owner, std::size_t depth,
            bool datagrams);

  std::uint32_t queue_key = 0;
  bool is_ready = false;  // the queue pair's state allows receiving
  // An immediate that comes with a write takes no receive.
  bool unsolicited_writes = false;

  // 0, ENOMEM or EINVAL.
  int post_receive(const ibv_recv_wr& receive);

  void on_request(const Port::Packet& packet);
  void progress(Time now);

  bool is_pending() const { return answer_count_ > 0 || reads_ > 0; }

 private:
  struct Receive {
    std::uint64_t wr_id = 0;
    ibv_sge piece{};
  };
  // What is still to be said to a requester.
  struct Answer {
    Address to{};
    PacketHeader header{};
    Time due{};
  };
  struct Read {
    bool active = false;
    PacketHeader request{};
    std::uint64_t sent = 0;
  };

  Status take(const Port::Packet& packet);
  Status take_send(const Port::Packet& packet);
  Status take_write(const Port::Packet& packet);
  Status take_immediate(const PacketHeader& write);
  Status take_read(const PacketHeader& request);
  void complete(const PacketHeader& packet, const Receive* receive, ibv_wc_opcode opcode,
                std::uint64_t bytes);
  void answer(const PacketHeader& request, Status status);
  void flush_answers(Time now);
  void serve_reads();
  void serve(Read& read);
  Delivery respond(const Read& read, std::uint64_t bytes);

  Port& port_;
  CompletionQueue& completions_;
  QueuePair& owner_;
  std::uint32_t headroom_;  // before the payload of a datagram, where a routing header would be
  std::vector<Receive> receives_;
  std::size_t first_receive_ = 0;
  std::size_t receive_count_ = 0;
  std::vector<Answer> answers_;
  std::size_t first_answer_ = 0;
  std::size_t answer_count_ = 0;
  std::vector<Read> reads_at_work_;
  std::size_t reads_ = 0;
};

}  // namespace pairbench::soft_efa
