// The sending half of a queue pair: the send queue, and what becomes of every request in it.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <span>
#include <vector>

#include "soft_efa/completion_queue.h"
#include "soft_efa/device.h"
#include "soft_efa/port.h"
#include "soft_efa/settings.h"

namespace pairbench::soft_efa {

// A work request in its place in the send queue.
struct Request {
  // free -> building -> pending <-> waiting -> done (completed, not polled yet) -> free
  enum class State : std::uint8_t { free, building, pending, waiting, done };
  State state = State::free;
  bool listed = false;   // among the pending ones
  bool dropped = false;  // by a fault: it never leaves
  bool is_inline = false;
  std::uint32_t generation = 0;  // tells answers to an earlier request in this place apart

  PacketKind kind = PacketKind::send;
  ibv_wc_opcode opcode = IBV_WC_SEND;
  std::uint64_t wr_id = 0;
  Address to{};
  std::uint32_t queue_key = 0;
  bool has_immediate = false;
  __be32 immediate = 0;
  std::uint32_t remote_key = 0;
  std::uint64_t remote_address = 0;

  std::array<ibv_sge, kMaxPieces> pieces{};
  std::size_t piece_count = 0;
  std::array<std::byte, kMaxInlineBytes> inlined{};
  std::uint64_t length = 0;

  std::uint64_t sent = 0;
  std::uint64_t received = 0;  // of a read
  unsigned not_ready = 0;      // how often the peer said so
  Time due{};
  Time launched{};
  Time deadline{};

  // Where the payload comes from or goes to. False when that is more than the device takes.
  bool set_pieces(std::span<const ibv_sge> list);
  bool set_inline(std::span<const ibv_data_buf> list);
};

// Guarded by the queue pair's lock. Only the constructor allocates.
class Requester {
 public:
  Requester(Port& port, CompletionQueue& completions, QueuePair& owner, std::size_t depth);

  // How often a send is repeated when the peer has no receive; 7: for ever (as InfiniBand counts).
  unsigned not_ready_retries = 7;

  // A place to build a request in; null when the queue is full.
  Request* take(std::uint64_t wr_id);
  void give_back(Request& request);
  void launch(Request& request);
  // Its completion has been polled.
  void release(int request);

  void on_answer(const PacketHeader& answer);
  void on_read_response(const Port::Packet& response);
  void progress(Time now);

  // Whether something waits for room in the socket or for its time.
  bool is_pending() const { return !pending_.empty(); }

 private:
  Request* waiting_for(const PacketHeader& packet);
  void strike(Request& request, Time now);
  void make_pending(Request& request, Time due);
  void push_pending(Time now);
  void push(Request& request, Time now);
  Delivery push_part(Request& request);
  Delivery transmit(Request& request, PacketHeader header, std::uint64_t length);
  void look_after_waiting(Time now);
  void finish(Request& request, Status status);

  Port& port_;
  CompletionQueue& completions_;
  QueuePair& owner_;
  std::vector<Request> requests_;
  std::vector<int> free_;
  std::vector<int> pending_;
  std::size_t in_flight_ = 0;
  Time next_look_{};
};

}  // namespace pairbench::soft_efa
