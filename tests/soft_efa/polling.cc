// How completions are read: libibverbs' two ways, one by one (ibv_start_poll, ibv_next_poll) and as
// an array (ibv_poll_cq).
#include <cerrno>

#include "soft_efa/address_handle.h"
#include "soft_efa/completion_queue.h"

namespace pairbench::soft_efa {
namespace {

const Completion& current(ibv_cq_ex* queue) {
  return CompletionQueue::of(queue).current();
}

unsigned flags_of(const Completion& completion) {
  return completion.has_immediate ? IBV_WC_WITH_IMM : 0;
}

int start_poll(ibv_cq_ex* queue, ibv_poll_cq_attr* attributes) {
  if (attributes->comp_mask != 0) return EINVAL;
  return CompletionQueue::of(queue).begin() ? 0 : ENOENT;
}

int next_poll(ibv_cq_ex* queue) {
  return CompletionQueue::of(queue).next() ? 0 : ENOENT;
}

void end_poll(ibv_cq_ex*) {}

std::uint8_t read_zero(ibv_cq_ex*) {
  return 0;
}

// A sender with an address handle here is known by its number, any other by its GID.
int read_sgid(efadv_cq* queue, ibv_gid* gid) {
  const Completion& completion = CompletionQueue::of(queue).current();
  if (completion.source_handle != kUnknownSender) return -ENOENT;
  *gid = completion.source;
  return 0;
}

ibv_wc entry_of(const Completion& completion) {
  ibv_wc entry{};
  entry.wr_id = completion.wr_id;
  entry.status = verbs_status(completion.status);
  entry.opcode = completion.opcode;
  entry.vendor_err = static_cast<std::uint32_t>(completion.status);
  entry.byte_len = completion.byte_len;
  entry.imm_data = completion.immediate;
  entry.qp_num = completion.queue_pair;
  entry.src_qp = completion.source_queue_pair;
  entry.wc_flags = flags_of(completion);
  entry.slid = completion.source_handle;
  return entry;
}

}  // namespace

void fill_in_polling(CompletionQueue& queue) {
  queue.start_poll = start_poll;
  queue.next_poll = next_poll;
  queue.end_poll = end_poll;
  queue.read_opcode = [](ibv_cq_ex* q) { return current(q).opcode; };
  queue.read_vendor_err = [](ibv_cq_ex* q) {
    return static_cast<std::uint32_t>(current(q).status);
  };
  queue.read_byte_len = [](ibv_cq_ex* q) { return current(q).byte_len; };
  queue.read_imm_data = [](ibv_cq_ex* q) { return current(q).immediate; };
  queue.read_qp_num = [](ibv_cq_ex* q) { return current(q).queue_pair; };
  queue.read_src_qp = [](ibv_cq_ex* q) { return current(q).source_queue_pair; };
  queue.read_wc_flags = [](ibv_cq_ex* q) { return flags_of(current(q)); };
  queue.read_slid = [](ibv_cq_ex* q) { return std::uint32_t{current(q).source_handle}; };
  queue.read_sl = read_zero;
  queue.read_dlid_path_bits = read_zero;
  queue.wc_read_sgid = read_sgid;
#ifdef SOFT_EFA_UNSOLICITED_WRITES
  queue.wc_is_unsolicited = [](efadv_cq* q) {
    return CompletionQueue::of(q).current().took_no_receive;
  };
#endif
}

int poll_into(ibv_cq* base, int most, ibv_wc* entries) {
  CompletionQueue& queue = CompletionQueue::of(base);
  int polled = 0;
  while (polled < most && (polled == 0 ? queue.begin() : queue.next()))
    entries[polled++] = entry_of(queue.current());
  return polled;
}

}  // namespace pairbench::soft_efa
