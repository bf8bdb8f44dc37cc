// How work requests get into a queue pair: libibverbs' two ways, lists (ibv_post_send) and calls
// (ibv_wr_start, ibv_wr_send, ..., ibv_wr_complete).
#include <cerrno>

#include "soft_efa/address_handle.h"
#include "soft_efa/queue_pair.h"

namespace pairbench::soft_efa {
namespace {

void set_destination(Request& request, ibv_ah* handle, std::uint32_t queue_pair,
                     std::uint32_t queue_key) {
  request.to = {static_cast<AddressHandle*>(handle)->gid, static_cast<std::uint16_t>(queue_pair)};
  request.queue_key = queue_key;
}

bool set_payload(Request& request, const ibv_send_wr& send) {
  const std::span pieces(send.sg_list, static_cast<std::size_t>(send.num_sge));
  if ((send.send_flags & IBV_SEND_INLINE) == 0) return request.set_pieces(pieces);
  if (pieces.size() > kMaxPieces) return false;
  std::array<ibv_data_buf, kMaxPieces> parts{};
  for (std::size_t i = 0; i < pieces.size(); ++i)
    parts[i] = {reinterpret_cast<void*>(pieces[i].addr), pieces[i].length};
  return request.set_inline(std::span(parts).first(pieces.size()));
}

int post_send(QueuePair& queue_pair, const ibv_send_wr& send) {
  if (send.opcode != IBV_WR_SEND && send.opcode != IBV_WR_SEND_WITH_IMM) return EINVAL;
  Requester& requester = queue_pair.requester();
  Request* request = requester.take(send.wr_id);
  if (request == nullptr) return ENOMEM;
  if (!set_payload(*request, send)) {
    requester.give_back(*request);
    return EINVAL;
  }
  request->has_immediate = send.opcode == IBV_WR_SEND_WITH_IMM;
  request->immediate = send.imm_data;
  set_destination(*request, send.wr.ud.ah, send.wr.ud.remote_qpn, send.wr.ud.remote_qkey);
  requester.launch(*request);
  return 0;
}

QueuePair::Batch& batch_of(ibv_qp_ex* base) {
  return QueuePair::of(base).batch();
}

void start(ibv_qp_ex* base) {
  QueuePair& queue_pair = QueuePair::of(base);
  queue_pair.lock().lock();
  QueuePair::Batch& batch = queue_pair.batch();
  batch.requests.clear();
  batch.current = nullptr;
  batch.error = 0;
}

// The next request of the batch; null once one has failed.
Request* open_request(ibv_qp_ex* base, PacketKind kind, ibv_wc_opcode opcode) {
  QueuePair::Batch& batch = batch_of(base);
  batch.current = nullptr;
  if (batch.error != 0) return nullptr;
  Request* request = QueuePair::of(base).requester().take(base->wr_id);
  if (request == nullptr) {
    batch.error = ENOMEM;
    return nullptr;
  }
  request->kind = kind;
  request->opcode = opcode;
  batch.requests.push_back(request);
  return batch.current = request;
}

void set_immediate(Request* request, __be32 immediate) {
  if (request == nullptr) return;
  request->has_immediate = true;
  request->immediate = immediate;
}

void set_remote(Request* request, std::uint32_t key, std::uint64_t address) {
  if (request == nullptr) return;
  request->remote_key = key;
  request->remote_address = address;
}

void wr_send(ibv_qp_ex* base) {
  open_request(base, PacketKind::send, IBV_WC_SEND);
}

void wr_send_imm(ibv_qp_ex* base, __be32 immediate) {
  set_immediate(open_request(base, PacketKind::send, IBV_WC_SEND), immediate);
}

// The EFA driver reports a finished read with the send's opcode, and libfabric 1.17 waits for that.
void wr_rdma_read(ibv_qp_ex* base, std::uint32_t key, std::uint64_t address) {
  set_remote(open_request(base, PacketKind::read, IBV_WC_SEND), key, address);
}

void wr_rdma_write(ibv_qp_ex* base, std::uint32_t key, std::uint64_t address) {
  set_remote(open_request(base, PacketKind::write, IBV_WC_RDMA_WRITE), key, address);
}

void wr_rdma_write_imm(ibv_qp_ex* base, std::uint32_t key, std::uint64_t address,
                       __be32 immediate) {
  Request* request = open_request(base, PacketKind::write, IBV_WC_RDMA_WRITE);
  set_remote(request, key, address);
  set_immediate(request, immediate);
}

void wr_set_ud_addr(ibv_qp_ex* base, ibv_ah* handle, std::uint32_t queue_pair,
                    std::uint32_t queue_key) {
  if (Request* request = batch_of(base).current)
    set_destination(*request, handle, queue_pair, queue_key);
}

void wr_set_sge_list(ibv_qp_ex* base, std::size_t count, const ibv_sge* pieces) {
  QueuePair::Batch& batch = batch_of(base);
  if (batch.current != nullptr && !batch.current->set_pieces({pieces, count})) batch.error = EINVAL;
}

void wr_set_sge(ibv_qp_ex* base, std::uint32_t key, std::uint64_t address, std::uint32_t length) {
  const ibv_sge piece{address, length, key};
  wr_set_sge_list(base, 1, &piece);
}

void wr_set_inline_data_list(ibv_qp_ex* base, std::size_t count, const ibv_data_buf* parts) {
  QueuePair::Batch& batch = batch_of(base);
  if (batch.current != nullptr && !batch.current->set_inline({parts, count})) batch.error = EINVAL;
}

void wr_set_inline_data(ibv_qp_ex* base, void* address, std::size_t length) {
  const ibv_data_buf part{address, length};
  wr_set_inline_data_list(base, 1, &part);
}

// A batch is posted as a whole or not at all.
int finish(ibv_qp_ex* base, bool post) {
  QueuePair& queue_pair = QueuePair::of(base);
  QueuePair::Batch& batch = queue_pair.batch();
  for (Request* request : batch.requests) {
    if (post && batch.error == 0)
      queue_pair.requester().launch(*request);
    else
      queue_pair.requester().give_back(*request);
  }
  const int error = batch.error;
  queue_pair.lock().unlock();
  return error;
}

int wr_complete(ibv_qp_ex* base) {
  return finish(base, true);
}

void wr_abort(ibv_qp_ex* base) {
  finish(base, false);
}

}  // namespace

void fill_in_work_requests(QueuePair& queue_pair) {
  queue_pair.wr_start = start;
  queue_pair.wr_complete = wr_complete;
  queue_pair.wr_abort = wr_abort;
  queue_pair.wr_send = wr_send;
  queue_pair.wr_send_imm = wr_send_imm;
  queue_pair.wr_rdma_read = wr_rdma_read;
  queue_pair.wr_rdma_write = wr_rdma_write;
  queue_pair.wr_rdma_write_imm = wr_rdma_write_imm;
  queue_pair.wr_set_ud_addr = wr_set_ud_addr;
  queue_pair.wr_set_sge = wr_set_sge;
  queue_pair.wr_set_sge_list = wr_set_sge_list;
  queue_pair.wr_set_inline_data = wr_set_inline_data;
  queue_pair.wr_set_inline_data_list = wr_set_inline_data_list;
}

int post_sends(ibv_qp* base, ibv_send_wr* list, ibv_send_wr** bad) {
  QueuePair& queue_pair = QueuePair::of(base);
  const std::lock_guard lock(queue_pair.lock());
  for (; list != nullptr; list = list->next)
    if (const int error = post_send(queue_pair, *list); error != 0) {
      *bad = list;
      return error;
    }
  return 0;
}

int post_receives(ibv_qp* base, ibv_recv_wr* list, ibv_recv_wr** bad) {
  QueuePair& queue_pair = QueuePair::of(base);
  const std::lock_guard lock(queue_pair.lock());
  for (; list != nullptr; list = list->next)
    if (const int error = queue_pair.responder().post_receive(*list); error != 0) {
      *bad = list;
      return error;
    }
  return 0;
}

}  // namespace pairbench::soft_efa
