// The hot path of the libfabric endpoint: no allocation, no system call of ours, no lock. Included
// by endpoint.h.
#pragma once

#include <rdma/fi_errno.h>

#include <algorithm>
#include <array>

#include "transport/libfabric/endpoint.h"
#include "transport/libfabric/errors.h"

namespace pairbench::libfabric {

inline Post Endpoint::outcome(ssize_t rc, const char* operation) const {
  if (rc == 0) [[likely]]
    return Post::accepted;
  if (rc == -FI_EAGAIN) return Post::busy;
  throw_post(operation, rc, transport_);
}

inline Post Endpoint::injected(ssize_t rc, Signal signal) const {
  const Post post = outcome(rc, "send");
  return post == Post::accepted && signal == Signal::at_once ? Post::done : post;
}

inline Post Endpoint::posted(ssize_t rc, Signal signal) {
  const Post post = outcome(rc, "send");
  if (post == Post::accepted) sends_.accepted(signal);
  return post;
}

// Only here can a send ask for no completion.
inline Post Endpoint::post_unsignalled(LocalSlice local, std::uint64_t imm, Token token,
                                       std::uint64_t flags) {
  const iovec payload{local.data, local.size};
  void* descriptor = reinterpret_cast<void*>(local.key);
  fi_msg message{};
  message.msg_iov = &payload;
  message.desc = &descriptor;
  message.iov_count = 1;
  message.addr = peer_;
  message.context = sends_.next(token);
  message.data = imm;
  return posted(fi_sendmsg(endpoint_.get(), &message, flags), Signal::no);
}

inline Post Endpoint::post_send(LocalSlice local, Token token, Signal signal) {
  if (signal != Signal::yes && local.size <= inject_limit_)
    return injected(fi_inject(endpoint_.get(), local.data, local.size, peer_), signal);
  if (sends_.exhausted()) return Post::busy;
  if (signal == Signal::no) return post_unsignalled(local, 0, token, 0);
  return posted(fi_send(endpoint_.get(), local.data, local.size, reinterpret_cast<void*>(local.key),
                        peer_, sends_.next(token)),
                Signal::yes);
}

inline Post Endpoint::post_send_imm(LocalSlice local, std::uint32_t imm, Token token,
                                    Signal signal) {
  if (signal != Signal::yes && local.size <= inject_limit_)
    return injected(fi_injectdata(endpoint_.get(), local.data, local.size, imm, peer_), signal);
  if (sends_.exhausted()) return Post::busy;
  if (signal == Signal::no) return post_unsignalled(local, imm, token, FI_REMOTE_CQ_DATA);
  return posted(fi_senddata(endpoint_.get(), local.data, local.size,
                            reinterpret_cast<void*>(local.key), imm, peer_, sends_.next(token)),
                Signal::yes);
}

inline Post Endpoint::post_recv(LocalSlice local, Token token) {
  if (receives_.exhausted()) return Post::busy;
  receive_size_ = local.size;
  const Post post =
      outcome(fi_recv(endpoint_.get(), local.data, local.size, reinterpret_cast<void*>(local.key),
                      FI_ADDR_UNSPEC, receives_.next(token)),
              "receive");
  if (post == Post::accepted) receives_.accepted(Signal::yes);
  return post;
}

template <class Take>
void Endpoint::hand_over(const fi_cq_data_entry& entry, Take&& take) {
  if ((entry.flags & FI_RECV) == 0)
    return take(Completion{sends_.completed(entry.op_context), 0, 0, CompletionKind::send});
  const Token token = receives_.completed(entry.op_context);
  if ((entry.flags & FI_REMOTE_CQ_DATA) == 0)
    return take(Completion{token, entry.len, 0, CompletionKind::recv});
  const auto imm = static_cast<std::uint32_t>(entry.data);
  take(Completion{token, entry.len, imm, CompletionKind::recv_imm});
}

template <class Take>
std::size_t Endpoint::poll(std::size_t most, Take&& take) {
  constexpr std::size_t kBatch = 16;
  std::array<fi_cq_data_entry, kBatch> entries;
  const ssize_t count = fi_cq_read(queue_.get(), entries.data(), std::min(most, kBatch));
  if (count <= 0) {
    if (count == -FI_EAGAIN || count == 0) [[likely]]
      return 0;
    throw_completion(queue_.get(), count, transport_, receive_size_);
  }
  const auto read = static_cast<std::size_t>(count);
  for (std::size_t i = 0; i < read; ++i) hand_over(entries[i], take);
  return read;
}

}  // namespace pairbench::libfabric
