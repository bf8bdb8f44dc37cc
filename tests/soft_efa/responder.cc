#include "soft_efa/responder.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "soft_efa/address_handle.h"
#include "soft_efa/counters.h"
#include "soft_efa/faults.h"
#include "soft_efa/memory_region.h"
#include "soft_efa/message_kind.h"
#include "soft_efa/pieces.h"

namespace pairbench::soft_efa {
namespace {

// Enough for 32 peers whose send queues are all on their way here.
constexpr std::size_t kMaxAnswers = 16384;
constexpr std::size_t kMaxReads = 256;
constexpr std::uint32_t kRoutingHeaderBytes = 40;

ibv_sge remote_piece(const PacketHeader& request, std::uint64_t offset, std::uint64_t length) {
  return {request.remote_address + offset, static_cast<std::uint32_t>(length), request.remote_key};
}

// What needs none cannot find the receiver not ready, and libfabric does not expect it to.
bool needs_receive(const PacketHeader& request) {
  return request.kind == PacketKind::send || (request.has_immediate && request.last);
}

}  // namespace

Responder::Responder(Port& port, CompletionQueue& completions, QueuePair& owner, std::size_t depth,
                     bool datagrams)
    : port_(port),
      completions_(completions),
      owner_(owner),
      headroom_(datagrams ? kRoutingHeaderBytes : 0),
      receives_(depth),
      answers_(kMaxAnswers),
      reads_at_work_(kMaxReads) {}

int Responder::post_receive(const ibv_recv_wr& receive) {
  if (receive_count_ == receives_.size()) return ENOMEM;
  if (receive.num_sge > 1) return EINVAL;
  Receive& place = receives_[(first_receive_ + receive_count_) % receives_.size()];
  place = {receive.wr_id, receive.num_sge == 1 ? *receive.sg_list : ibv_sge{}};
  ++receive_count_;
  return 0;
}

// What the faults make of a request that arrived; without one it is taken and answered.
void Responder::on_request(const Port::Packet& packet) {
  Fate fate = faults().of_next_receive();
  if (fate.status == Status::receiver_not_ready && !needs_receive(packet.header)) fate = {};
  if (fate.effect == Effect::drop) return;
  answer(packet.header, fate.effect == Effect::status ? fate.status : take(packet));
}

Status Responder::take(const Port::Packet& packet) {
  if (!is_ready || packet.header.queue_key != queue_key) return Status::bad_queue_pair;
  switch (packet.header.kind) {
    case PacketKind::send:
      return take_send(packet);
    case PacketKind::write:
      return take_write(packet);
    default:
      return take_read(packet.header);
  }
}

Status Responder::take_send(const Port::Packet& packet) {
  if (receive_count_ == 0) return Status::receiver_not_ready;
  const Receive receive = receives_[first_receive_];
  const std::uint64_t bytes = packet.payload.size();
  if (bytes + headroom_ > receive.piece.length) return Status::remote_length;
  const std::span pieces(&receive.piece, 1);
  if (!memory_regions().with(pieces, IBV_ACCESS_LOCAL_WRITE,
                             [&] { scatter(packet.payload, slice(pieces, headroom_, bytes)); }))
    return Status::remote_access;
  complete(packet.header, &receive, IBV_WC_RECV, bytes + headroom_);
  count(Counter::bytes_received, bytes);
  if (const auto kind = kind_of(packet.payload)) count(*kind);
  return Status::ok;
}

Status Responder::take_write(const Port::Packet& packet) {
  const ibv_sge piece = remote_piece(packet.header, packet.header.offset, packet.payload.size());
  const std::span pieces(&piece, 1);
  if (!memory_regions().with(pieces, IBV_ACCESS_REMOTE_WRITE, [&] {
        scatter(packet.payload, slice(pieces, 0, packet.payload.size()));
      }))
    return Status::remote_access;
  count(Counter::bytes_received, packet.payload.size());
  if (!packet.header.last) return Status::ok;
  count(Counter::writes_served);
  return packet.header.has_immediate ? take_immediate(packet.header) : Status::ok;
}

Status Responder::take_immediate(const PacketHeader& write) {
  if (!unsolicited_writes && receive_count_ == 0) return Status::receiver_not_ready;
  const Receive* receive = unsolicited_writes ? nullptr : &receives_[first_receive_];
  complete(write, receive, IBV_WC_RECV_RDMA_WITH_IMM, write.total);
  return Status::ok;
}

// The answer to a read is its data, unless it is refused.
Status Responder::take_read(const PacketHeader& request) {
  const ibv_sge piece = remote_piece(request, 0, request.total);
  if (!memory_regions().with({&piece, 1}, IBV_ACCESS_REMOTE_READ, [] {}))
    return Status::remote_access;
  const auto place = std::ranges::find(reads_at_work_, false, &Read::active);
  if (place == reads_at_work_.end()) return Status::try_again;
  *place = {.active = true, .request = request};
  ++reads_;
  count(Counter::reads_served);
  return Status::ok;
}

// Takes the receive off the queue, where there is one.
void Responder::complete(const PacketHeader& packet, const Receive* receive, ibv_wc_opcode opcode,
                         std::uint64_t bytes) {
  Completion completion;
  completion.owner = &owner_;
  completion.opcode = opcode;
  completion.byte_len = static_cast<std::uint32_t>(bytes);
  completion.queue_pair = port_.address().queue_pair;
  completion.source_queue_pair = packet.source.queue_pair;
  completion.source = packet.source.gid;
  completion.source_handle = address_handles().number_of(packet.source.gid);
  completion.has_immediate = packet.has_immediate;
  completion.immediate = packet.immediate;
  completion.took_no_receive = receive == nullptr;
  if (receive != nullptr) {
    completion.wr_id = receive->wr_id;
    first_receive_ = (first_receive_ + 1) % receives_.size();
    --receive_count_;
  }
  count(Counter::messages_received);
  completions_.push(completion);
}

// One answer for a request: a read's is its data, a write's belongs to its last packet, but a
// refusal comes at once.
void Responder::answer(const PacketHeader& request, Status status) {
  if (status == Status::receiver_not_ready) count(Counter::not_ready);
  const bool answered_otherwise =
      request.kind == PacketKind::read || (request.kind == PacketKind::write && !request.last);
  if (status == Status::ok && answered_otherwise) return;
  if (answer_count_ == answers_.size()) {
    count(Counter::overruns);
    std::fputs("soft-efa: more requests than answers have room\n", stderr);
    return;
  }
  Answer& place = answers_[(first_answer_ + answer_count_++) % answers_.size()];
  place.to = request.source;
  place.header = {.kind = PacketKind::answer, .status = status};
  place.header.request = request.request;
  place.header.generation = request.generation;
  place.due = std::chrono::steady_clock::now() + settings().answer_delay;
}

void Responder::progress(Time now) {
  flush_answers(now);
  if (reads_ > 0) serve_reads();
}

void Responder::flush_answers(Time now) {
  while (answer_count_ > 0) {
    const Answer& next = answers_[first_answer_];
    if (next.due > now) return;
    if (port_.send(next.to, next.header) == Delivery::full) return;
    first_answer_ = (first_answer_ + 1) % answers_.size();
    --answer_count_;
  }
}

void Responder::serve_reads() {
  for (Read& read : reads_at_work_)
    if (read.active) serve(read);
}

// As much as the socket takes; at least one packet, also of nothing.
void Responder::serve(Read& read) {
  do {
    const std::uint64_t bytes = std::min(read.request.total - read.sent, kSegmentBytes);
    switch (respond(read, bytes)) {
      case Delivery::full:
        return;
      case Delivery::nobody:
        read.sent = read.request.total;
        break;
      case Delivery::sent:
        read.sent += bytes;
        count(Counter::responses_sent);
        break;
    }
  } while (read.sent < read.request.total);
  read.active = false;
  --reads_;
}

Delivery Responder::respond(const Read& read, std::uint64_t bytes) {
  PacketHeader header{};
  header.kind = PacketKind::read_response;
  header.request = read.request.request;
  header.generation = read.request.generation;
  header.offset = read.sent;
  const ibv_sge piece = remote_piece(read.request, read.sent, bytes);
  Delivery delivery = Delivery::nobody;
  if (!memory_regions().with({&piece, 1}, IBV_ACCESS_REMOTE_READ, [&] {
        const Slices payload = slice({&piece, 1}, 0, bytes);
        delivery = port_.send(read.request.source, header, payload.list());
      }))
    answer(read.request, Status::remote_access);
  return delivery;
}

}  // namespace pairbench::soft_efa
