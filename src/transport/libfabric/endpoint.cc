#include "transport/libfabric/endpoint.h"

#include <fmt/format.h>
#include <rdma/fi_ext.h>
#include <rdma/fi_tagged.h>

#include <cstring>

#include "base/deadline.h"
#include "base/error.h"
#include "transport/libfabric/capabilities.h"

namespace pairbench::libfabric {
namespace {

// A queue must never overrun, since completions are lost then: room for everything that may be
// outstanding and for what a provider adds on its own account.
constexpr std::size_t kQueueReserve = 16;

void check(ssize_t rc, const char* call, const std::string& transport) {
  if (rc != 0) throw_call(call, rc, transport);
}

void require_depth(const char* name, std::size_t asked, std::size_t offered,
                   const std::string& transport) {
  if (asked > 0 && asked <= offered) return;
  throw Error(ExitStatus::failed, Phase::open,
              fmt::format("{} {} is not possible on {}", name, asked, transport),
              fmt::format("the provider takes 1 to {}", offered));
}

CompletionQueueHandle open_queue(fid_domain* domain, std::size_t size,
                                 const std::string& transport) {
  fi_cq_attr attributes{};
  attributes.size = size;
  attributes.format = FI_CQ_FORMAT_DATA;
  attributes.wait_obj = FI_WAIT_NONE;
  fid_cq* queue = nullptr;
  check(fi_cq_open(domain, &attributes, &queue, nullptr), "fi_cq_open", transport);
  return CompletionQueueHandle(queue);
}

AddressVectorHandle open_addresses(fid_domain* domain, const std::string& transport) {
  fi_av_attr attributes{};
  attributes.type = FI_AV_TABLE;
  attributes.count = 1;
  fid_av* addresses = nullptr;
  check(fi_av_open(domain, &attributes, &addresses, nullptr), "fi_av_open", transport);
  return AddressVectorHandle(addresses);
}

EndpointHandle open_endpoint(fid_domain* domain, fi_info& info, const std::string& transport) {
  fid_ep* endpoint = nullptr;
  check(fi_endpoint(domain, &info, &endpoint, nullptr), "fi_endpoint", transport);
  return EndpointHandle(endpoint);
}

// What the open endpoint says itself counts for more than fi_info, which knows nothing of this
// endpoint's options.
std::size_t provider_inject_limit([[maybe_unused]] fid_ep& endpoint, const fi_info& info) {
#ifdef PAIRBENCH_HAVE_FI_OPT_INJECT_MSG_SIZE
  std::size_t limit = 0;
  std::size_t length = sizeof limit;
  if (fi_getopt(&endpoint.fid, FI_OPT_ENDPOINT, FI_OPT_INJECT_MSG_SIZE, &limit, &length) == 0)
    return limit;
#endif
  return info.tx_attr->inject_size;
}

// The device of efa-direct repeats for ever unless told a number below 7. One that cannot be told
// goes on repeating.
void bound_rnr_retries(fid_ep& endpoint, const fi_info& info) {
  std::size_t retries = 3;
  if (provider_name_of(info) != "efa-direct") return;
  fi_setopt(&endpoint.fid, FI_OPT_ENDPOINT, FI_OPT_EFA_RNR_RETRY, &retries, sizeof retries);
}

bool is_text(const fi_info& info) {
  return info.addr_format == FI_ADDR_STR;
}

}  // namespace

Endpoint::Endpoint(fid_domain* domain, fi_info& info, std::string transport,
                   const EndpointOptions& options, bool use_slots)
    : transport_(std::move(transport)),
      address_is_text_(is_text(info)),
      sends_(options.tx_depth, use_slots),
      receives_(options.rx_depth, use_slots) {
  require_depth("a send depth of", options.tx_depth, info.tx_attr->size, transport_);
  require_depth("a receive depth of", options.rx_depth, info.rx_attr->size, transport_);
  queue_ = open_queue(domain, options.tx_depth + options.rx_depth + kQueueReserve, transport_);
  addresses_ = open_addresses(domain, transport_);
  endpoint_ = open_endpoint(domain, info, transport_);
  check(fi_ep_bind(endpoint_.get(), &queue_->fid, FI_TRANSMIT | FI_SELECTIVE_COMPLETION),
        "fi_ep_bind", transport_);
  check(fi_ep_bind(endpoint_.get(), &queue_->fid, FI_RECV), "fi_ep_bind", transport_);
  check(fi_ep_bind(endpoint_.get(), &addresses_->fid, 0), "fi_ep_bind", transport_);
  if (options.report_not_ready) bound_rnr_retries(*endpoint_, info);
  check(fi_enable(endpoint_.get()), "fi_enable", transport_);
  inject_limit_ = std::min(options.inline_limit, provider_inject_limit(*endpoint_, info));
}

// An endpoint whose run ended early may have completions under way, and tcp;ofi_rxm of 1.17 was
// seen to crash in fi_close with one: what has come until now is taken first.
Endpoint::~Endpoint() {
  constexpr int kLastPolls = 64;
  const bool layered = queue_ && transport_.find("ofi_rxm") != std::string::npos;
  fi_cq_data_entry entry;
  for (int i = 0; layered && i < kLastPolls; ++i)
    if (fi_cq_read(queue_.get(), &entry, 1) == -FI_EAVAIL) {
      fi_cq_err_entry error{};
      fi_cq_readerr(queue_.get(), &error, 0);
    }
}

AddressBlob Endpoint::address() const {
  std::size_t length = 0;
  ssize_t rc = fi_getname(&endpoint_->fid, nullptr, &length);
  if (rc != 0 && rc != -FI_ETOOSMALL) throw_call("fi_getname", rc, transport_);
  AddressBlob address(length);
  check(fi_getname(&endpoint_->fid, address.data(), &length), "fi_getname", transport_);
  address.resize(length);
  return address;
}

void Endpoint::connect(const AddressBlob& peer) {
  // The provider trusts the length and the end of what it is given; the bytes come from another
  // host.
  const bool well_formed = address_is_text_ ? !peer.empty() && peer.back() == std::byte{0}
                                            : peer.size() == address().size();
  ssize_t inserted = 0;
  if (well_formed) inserted = fi_av_insert(addresses_.get(), peer.data(), 1, &peer_, 0, nullptr);
  if (inserted == 1) return;
  throw Error(ExitStatus::peer, Phase::open,
              fmt::format("the peer's address is none that {} can use", transport_),
              !well_formed    ? fmt::format("it has {} bytes", peer.size())
              : inserted == 0 ? "fi_av_insert took none of 1 address"
                              : fmt::format("fi_av_insert: {}", error_text(inserted)),
              address_is_text_ ? "over shared memory both processes must belong to one user"
                               : "both sides must open the same provider");
}

bool Endpoint::probe(bool tagged, std::chrono::nanoseconds within) {
  fi_msg_tagged aside{};
  fi_msg message{};
  aside.addr = message.addr = peer_;
  aside.context = message.context = sends_.next(0);
  const auto post_once = [&] {
    return tagged ? fi_tsendmsg(endpoint_.get(), &aside, FI_COMPLETION)
                  : fi_sendmsg(endpoint_.get(), &message, FI_COMPLETION);
  };
  const Deadline deadline = Deadline::after(within);
  Post post = Post::busy;
  while (!deadline.passed()) {
    if (post == Post::busy) post = outcome(post_once(), "send");
    if (poll(1, [](const Completion&) {}) > 0) return true;
  }
  return false;
}

void Endpoint::abandon() noexcept {
  static_cast<void>(endpoint_.release());
  static_cast<void>(addresses_.release());
  static_cast<void>(queue_.release());
}

}  // namespace pairbench::libfabric
