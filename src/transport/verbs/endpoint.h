// An RC queue pair with one peer. Set-up is in endpoint.cc, the hot path in endpoint_datapath.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "transport/capabilities.h"
#include "transport/endpoint.h"
#include "transport/verbs/address.h"
#include "transport/verbs/handles.h"
#include "transport/verbs/selection.h"

namespace pairbench::verbs {

// Made by Device::make_endpoint; must not outlive the device. Owner: one thread. One completion
// queue serves both directions.
class Endpoint {
 public:
  // Throws Error(failed, open) naming the call, or the depth that the device cannot give. Receives
  // may be posted from now on, sends once connected.
  Endpoint(ibv_context& context, ibv_pd& domain, const Choice& choice,
           const Capabilities& capabilities, const EndpointOptions& options);
  Endpoint(Endpoint&& other) noexcept;
  Endpoint& operator=(Endpoint&&) = delete;
  ~Endpoint();

  AddressBlob address() const;

  // Brings the queue pair to RTR and RTS. Throws Error(peer, open) for an address that is none,
  // Error(failed, open) where the device refuses it.
  void connect(const AddressBlob& peer);

  // Hot path: endpoint_datapath.h. Nothing but the device's own calls is made here.
  Post post_send(LocalSlice local, Token token, Signal signal);
  Post post_send_imm(LocalSlice local, std::uint32_t imm, Token token, Signal signal);
  Post post_recv(LocalSlice local, Token token);
  template <class Take>
  std::size_t poll(std::size_t most, Take&& take);

  // To be called after an empty poll, again and again: the first call asks for an event, so that
  // the next poll sees what came before; the second sleeps until the event, or for `longest`.
  void sleep(std::chrono::milliseconds longest);

 private:
  Post post(ibv_send_wr& request, LocalSlice local, Token token, Signal signal);
  template <class Take>
  void hand_over(const ibv_wc& work, Take&& take);
  std::uint64_t& signalled(std::uint64_t number);
  void to_init();
  void to_ready_to_receive(const Address& peer);
  void to_ready_to_send();
  void modify(ibv_qp_attr& attributes, int mask, const char* state);
  void take_event();

  std::string transport_;
  Choice choice_;
  PathOptions path_;
  std::uint32_t first_packet_;
  std::size_t inline_limit_ = 0;
  bool inlines_ = false;

  // Of the send queue: how many were posted, how many are known to be done, and the numbers of the
  // signalled ones in between, which complete in order.
  std::size_t send_depth_;
  std::uint64_t posted_ = 0;
  std::uint64_t done_ = 0;
  std::vector<std::uint64_t> signalled_;  // a power of two of them, taken in turns
  std::uint64_t signalled_posted_ = 0;
  std::uint64_t signalled_done_ = 0;
  std::size_t receive_depth_;
  std::size_t receives_posted_ = 0;

  bool armed_ = false;           // an event is there to be taken, or will come
  unsigned unacknowledged_ = 0;  // events taken

  // The queue pair last: destroyed first, while what it is bound to still stands.
  EventChannelHandle channel_;
  CompletionQueueHandle queue_;
  QueuePairHandle pair_;
};

}  // namespace pairbench::verbs

#include "transport/verbs/endpoint_datapath.h"

namespace pairbench::verbs {
static_assert(pairbench::Endpoint<Endpoint>);
}
