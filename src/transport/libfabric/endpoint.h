// A libfabric RDM endpoint with one peer. Set-up is in endpoint.cc, the hot path in
// endpoint_datapath.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "transport/endpoint.h"
#include "transport/libfabric/handles.h"
#include "transport/libfabric/operation_contexts.h"

namespace pairbench::libfabric {

// Made by Device::make_endpoint; must not outlive the device. Owner: one thread, which is also the
// only one to use the device while the endpoint lives (FI_THREAD_DOMAIN). One completion queue
// serves both directions.
class Endpoint {
 public:
  // Throws Error(failed, open) naming the call, or the depth that the provider cannot give.
  Endpoint(fid_domain* domain, fi_info& info, std::string transport, const EndpointOptions& options,
           bool use_slots);
  Endpoint(Endpoint&&) = default;
  Endpoint& operator=(Endpoint&&) = delete;  // would free contexts before closing their endpoint
  ~Endpoint();

  // As the provider writes it: a socket address, a string for shm, GID and queue pair for EFA.
  AddressBlob address() const;

  // Makes `peer` the one that sends go to. The connection itself is made by the first message.
  // Throws Error(peer, open) for an address that is none of this provider's.
  void connect(const AddressBlob& peer);

  // Sends the peer one empty message, a tagged one where that is to take none of its receives;
  // whether it arrived in time. Throws Error with the peer's answer. For an endpoint that is not
  // used otherwise.
  bool probe(bool tagged, std::chrono::nanoseconds within);

  // Leaves everything open, for a process that is about to end: closing waits for what is under
  // way, as long as a provider's own timeouts. The endpoint is of no use afterwards.
  void abandon() noexcept;

  // Hot path: endpoint_datapath.h. Nothing but the provider's own calls is made here.
  Post post_send(LocalSlice local, Token token, Signal signal);
  Post post_send_imm(LocalSlice local, std::uint32_t imm, Token token, Signal signal);
  Post post_recv(LocalSlice local, Token token);
  template <class Take>
  std::size_t poll(std::size_t most, Take&& take);

  // Largest payload that is sent inline (fi_inject) where its completion is of no interest.
  std::size_t inject_limit() const noexcept { return inject_limit_; }

 private:
  Post posted(ssize_t rc, Signal signal);
  Post post_unsignalled(LocalSlice local, std::uint64_t imm, Token token, std::uint64_t flags);
  Post outcome(ssize_t rc, const char* operation) const;
  Post injected(ssize_t rc, Signal signal) const;
  template <class Take>
  void hand_over(const fi_cq_data_entry& entry, Take&& take);

  std::string transport_;
  bool address_is_text_;
  fi_addr_t peer_ = FI_ADDR_UNSPEC;
  std::size_t inject_limit_ = 0;
  std::size_t receive_size_ = 0;  // of the last receive posted, to name it in an error
  OperationContexts sends_;
  OperationContexts receives_;

  // The endpoint last: closed first, while what it is bound to and the contexts still stand.
  CompletionQueueHandle queue_;
  AddressVectorHandle addresses_;
  EndpointHandle endpoint_;
};

}  // namespace pairbench::libfabric

#include "transport/libfabric/endpoint_datapath.h"

namespace pairbench::libfabric {
static_assert(pairbench::Endpoint<Endpoint>);
}
