#include "transport/verbs/endpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

#include "base/error.h"
#include "transport/verbs/capabilities.h"
#include "transport/verbs/errors.h"

namespace pairbench::verbs {
namespace {

void require_depth(const char* name, std::size_t asked, std::size_t offered,
                   const std::string& transport) {
  if (asked > 0 && asked <= offered) return;
  throw Error(ExitStatus::failed, Phase::open,
              fmt::format("{} {} is not possible on {}", name, asked, transport),
              fmt::format("the device takes 1 to {}", offered),
              "smaller --window or --rx-depth; a completion queue is for sends and receives");
}

EventChannelHandle open_channel(ibv_context& context, const std::string& transport) {
  EventChannelHandle channel(ibv_create_comp_channel(&context));
  if (!channel) throw_call("ibv_create_comp_channel", errno, transport);
  // An event is taken only when poll() has announced it, and never waited for without a deadline.
  const int flags = fcntl(channel->fd, F_GETFL);
  if (flags < 0 || fcntl(channel->fd, F_SETFL, flags | O_NONBLOCK) != 0)
    throw_call("fcntl", errno, transport);
  return channel;
}

QueuePairHandle open_pair(ibv_pd& domain, ibv_cq& queue, const EndpointOptions& options,
                          std::size_t inline_limit, const std::string& transport) {
  ibv_qp_init_attr attributes{};
  attributes.send_cq = attributes.recv_cq = &queue;
  attributes.cap.max_send_wr = static_cast<std::uint32_t>(options.tx_depth);
  attributes.cap.max_recv_wr = static_cast<std::uint32_t>(options.rx_depth);
  attributes.cap.max_send_sge = attributes.cap.max_recv_sge = 1;
  attributes.cap.max_inline_data = static_cast<std::uint32_t>(inline_limit);
  attributes.qp_type = IBV_QPT_RC;
  attributes.sq_sig_all = 0;
  QueuePairHandle pair(ibv_create_qp(&domain, &attributes));
  if (!pair) throw_call("ibv_create_qp", errno, transport);
  return pair;
}

ibv_mtu to_mtu(int bytes) {
  int mtu = IBV_MTU_256;
  while (mtu < IBV_MTU_4096 && 256 << mtu <= bytes) ++mtu;
  return static_cast<ibv_mtu>(mtu);
}

bool is_zero(const std::array<std::uint8_t, 16>& gid) {
  return Gid{0, gid, GidType::ib}.is_empty();
}

}  // namespace

Endpoint::Endpoint(ibv_context& context, ibv_pd& domain, const Choice& choice,
                   const Capabilities& capabilities, const EndpointOptions& options)
    : transport_(capabilities.opened),
      choice_(choice),
      path_(options.path),
      first_packet_(std::random_device{}() & kMost24Bits),
      inline_limit_(std::min(options.inline_limit, capabilities.max_inline)),
      inlines_(inline_limit_ > 0),
      send_depth_(options.tx_depth),
      signalled_(std::bit_ceil(options.tx_depth)),
      receive_depth_(options.rx_depth) {
  require_depth("a send depth of", options.tx_depth, capabilities.max_tx_depth, transport_);
  require_depth("a receive depth of", options.rx_depth, capabilities.max_rx_depth, transport_);
  const std::size_t completions = options.tx_depth + options.rx_depth;
  require_depth("a completion queue of", completions, choice.port.max_completions, transport_);
  channel_ = open_channel(context, transport_);
  queue_.reset(ibv_create_cq(&context, static_cast<int>(completions), nullptr, channel_.get(), 0));
  if (!queue_) throw_call("ibv_create_cq", errno, transport_);
  pair_ = open_pair(domain, *queue_, options, inline_limit_, transport_);
  to_init();
}

Endpoint::Endpoint(Endpoint&& other) noexcept = default;

// A completion queue is not destroyed before each of its events was acknowledged.
Endpoint::~Endpoint() {
  if (queue_ && unacknowledged_ > 0) ibv_ack_cq_events(queue_.get(), unacknowledged_);
}

AddressBlob Endpoint::address() const {
  Address own;
  own.lid = choice_.port.lid;
  own.queue_pair = pair_->qp_num;
  own.first_packet = first_packet_;
  own.mtu_bytes = static_cast<std::uint16_t>(choice_.port.active_mtu_bytes);
  if (choice_.gid) own.gid = choice_.gid->raw;
  return to_blob(own);
}

void Endpoint::connect(const AddressBlob& blob) {
  const auto peer = from_blob(blob);
  const bool usable = peer && peer->mtu_bytes >= 256 && (!choice_.gid || !is_zero(peer->gid));
  if (!usable)
    throw Error(ExitStatus::peer, Phase::open,
                fmt::format("the peer's address is none that {} can use", transport_),
                peer ? "it has no GID, or no MTU" : fmt::format("it has {} bytes", blob.size()),
                "both sides must open verbs, and ports of the same link layer");
  to_ready_to_receive(*peer);
  to_ready_to_send();
}

void Endpoint::modify(ibv_qp_attr& attributes, int mask, const char* state) {
  const int error = ibv_modify_qp(pair_.get(), &attributes, mask);
  if (error == 0) return;
  Failure failure{ExitStatus::failed,
                  Phase::open,
                  fmt::format("the queue pair of {} does not get to {}", transport_, state),
                  "",
                  fmt::format("ibv_modify_qp: {}", std::strerror(error)),
                  ""};
  if (choice_.gid)
    failure.hint = fmt::format(
        "GID {} ({}) may not lead to the peer: name another with -t verbs:DEVICE/PORT/GID_INDEX",
        choice_.gid->index, choice_.gid->text());
  throw Error(failure);
}

void Endpoint::to_init() {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.pkey_index = 0;
  attributes.port_num = static_cast<std::uint8_t>(choice_.port.port);
  attributes.qp_access_flags = 0;
  modify(attributes, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, "INIT");
}

void Endpoint::to_ready_to_receive(const Address& peer) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTR;
  const int active = std::min<int>(choice_.port.active_mtu_bytes, peer.mtu_bytes);
  attributes.path_mtu = to_mtu(std::min(active, path_.mtu_bytes.value_or(active)));
  attributes.dest_qp_num = peer.queue_pair;
  attributes.rq_psn = peer.first_packet;
  attributes.max_dest_rd_atomic = 1;
  attributes.min_rnr_timer = kMinRnrTimer;
  attributes.ah_attr.port_num = static_cast<std::uint8_t>(choice_.port.port);
  attributes.ah_attr.dlid = peer.lid;
  attributes.ah_attr.sl = static_cast<std::uint8_t>(path_.service_level.value_or(0));
  if (choice_.gid) {
    attributes.ah_attr.is_global = 1;
    attributes.ah_attr.grh.sgid_index = static_cast<std::uint8_t>(choice_.gid->index);
    attributes.ah_attr.grh.hop_limit = kHopLimit;
    attributes.ah_attr.grh.traffic_class =
        static_cast<std::uint8_t>(path_.traffic_class.value_or(0));
    std::memcpy(attributes.ah_attr.grh.dgid.raw, peer.gid.data(), peer.gid.size());
  }
  modify(attributes,
         IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
             IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
         "RTR");
}

void Endpoint::to_ready_to_send() {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTS;
  attributes.timeout = kTimeout;
  attributes.retry_cnt = kRetryCount;
  attributes.rnr_retry = kRnrRetry;
  attributes.sq_psn = first_packet_;
  attributes.max_rd_atomic = 1;
  modify(attributes,
         IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
             IBV_QP_MAX_QP_RD_ATOMIC,
         "RTS");
}

void Endpoint::take_event() {
  ibv_cq* queue = nullptr;
  void* context = nullptr;
  if (ibv_get_cq_event(channel_.get(), &queue, &context) == 0) ++unacknowledged_;
}

void Endpoint::sleep(std::chrono::milliseconds longest) {
  if (!armed_) {
    if (const int error = ibv_req_notify_cq(queue_.get(), 0); error != 0)
      throw_post("request for an event", error, transport_);
    armed_ = true;
    return;
  }
  pollfd ready{channel_->fd, POLLIN, 0};
  if (::poll(&ready, 1, static_cast<int>(longest.count())) != 1) return;
  take_event();
  armed_ = false;
}

}  // namespace pairbench::verbs
