// The hot path of the RC endpoint: no allocation, no system call of ours, no lock. Included by
// endpoint.h.
#pragma once

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "transport/verbs/endpoint.h"
#include "transport/verbs/errors.h"

namespace pairbench::verbs {

// A completion's opcode is valid only where its status is success, so wr_id tells sends apart.
inline constexpr std::uint64_t kSendBit = std::uint64_t{1} << 63;

inline std::uint64_t& Endpoint::signalled(std::uint64_t number) {
  return signalled_[number & (signalled_.size() - 1)];
}

inline Post Endpoint::post(ibv_send_wr& request, LocalSlice local, Token token, Signal signal) {
  if (posted_ - done_ >= send_depth_) return Post::busy;
  ibv_sge payload{reinterpret_cast<std::uintptr_t>(local.data),
                  static_cast<std::uint32_t>(local.size), static_cast<std::uint32_t>(local.key)};
  request.wr_id = token | kSendBit;
  request.sg_list = &payload;
  request.num_sge = local.size > 0 ? 1 : 0;
  const bool reports = signal != Signal::no;
  request.send_flags =
      (reports ? static_cast<unsigned>(IBV_SEND_SIGNALED) : 0u) |
      (inlines_ && local.size <= inline_limit_ ? static_cast<unsigned>(IBV_SEND_INLINE) : 0u);
  ibv_send_wr* bad = nullptr;
  if (const int error = ibv_post_send(pair_.get(), &request, &bad); error != 0) [[unlikely]] {
    if (error == ENOMEM) return Post::busy;
    throw_post("send", error, transport_);
  }
  if (reports) signalled(signalled_posted_++) = posted_;
  ++posted_;
  return Post::accepted;
}

inline Post Endpoint::post_send(LocalSlice local, Token token, Signal signal) {
  ibv_send_wr request{};
  request.opcode = IBV_WR_SEND;
  return post(request, local, token, signal);
}

inline Post Endpoint::post_send_imm(LocalSlice local, std::uint32_t imm, Token token,
                                    Signal signal) {
  ibv_send_wr request{};
  request.opcode = IBV_WR_SEND_WITH_IMM;
  request.imm_data = htonl(imm);
  return post(request, local, token, signal);
}

inline Post Endpoint::post_recv(LocalSlice local, Token token) {
  if (receives_posted_ >= receive_depth_) return Post::busy;
  ibv_sge memory{reinterpret_cast<std::uintptr_t>(local.data),
                 static_cast<std::uint32_t>(local.size), static_cast<std::uint32_t>(local.key)};
  ibv_recv_wr request{};
  request.wr_id = token;
  request.sg_list = &memory;
  request.num_sge = 1;
  ibv_recv_wr* bad = nullptr;
  if (const int error = ibv_post_recv(pair_.get(), &request, &bad); error != 0) [[unlikely]] {
    if (error == ENOMEM) return Post::busy;
    throw_post("receive", error, transport_);
  }
  ++receives_posted_;
  return Post::accepted;
}

template <class Take>
void Endpoint::hand_over(const ibv_wc& work, Take&& take) {
  const bool is_send = (work.wr_id & kSendBit) != 0;
  const Token token = work.wr_id & ~kSendBit;
  if (work.status != IBV_WC_SUCCESS) [[unlikely]]
    throw_completion(work, is_send, transport_);
  if (is_send) {
    done_ = signalled(signalled_done_++) + 1;
    return take(Completion{token, 0, 0, CompletionKind::send});
  }
  --receives_posted_;
  if ((work.wc_flags & IBV_WC_WITH_IMM) == 0)
    return take(Completion{token, work.byte_len, 0, CompletionKind::recv});
  take(Completion{token, work.byte_len, ntohl(work.imm_data), CompletionKind::recv_imm});
}

template <class Take>
std::size_t Endpoint::poll(std::size_t most, Take&& take) {
  constexpr std::size_t kBatch = 16;
  std::array<ibv_wc, kBatch> work;
  const int room = static_cast<int>(std::min(most, kBatch));
  if (room == 0) return 0;  // the adapter needs no help to make progress
  const int count = ibv_poll_cq(queue_.get(), room, work.data());
  if (count <= 0) [[likely]] {
    if (count < 0) throw_post("poll", EIO, transport_);
    return 0;
  }
  const auto read = static_cast<std::size_t>(count);
  for (std::size_t i = 0; i < read; ++i) hand_over(work[i], take);
  return read;
}

}  // namespace pairbench::verbs
