#include "conformance/transports.h"

#include "base/buffer.h"
#include "transport/inproc/device.h"
#ifdef PAIRBENCH_WITH_LIBFABRIC
#include "transport/libfabric/device.h"
#endif
#ifdef PAIRBENCH_WITH_VERBS
#include "transport/verbs/device.h"
#endif

namespace pairbench::conformance {
namespace {

template <class Device>
class SideOf final : public Side {
 public:
  SideOf(Device device, const EndpointOptions& options, std::size_t memory)
      : device_(std::move(device)),
        buffer_(memory),
        region_(device_.register_memory(buffer_.bytes())),
        endpoint_(device_.make_endpoint(options)) {}

  AddressBlob address() const override { return endpoint_.address(); }
  void connect(const AddressBlob& peer) override { endpoint_.connect(peer); }
  Post post_send(LocalSlice local, Token token, Signal signal) override {
    return endpoint_.post_send(local, token, signal);
  }
  Post post_send_imm(LocalSlice local, std::uint32_t imm, Token token, Signal signal) override {
    return endpoint_.post_send_imm(local, imm, token, signal);
  }
  Post post_recv(LocalSlice local, Token token) override {
    return endpoint_.post_recv(local, token);
  }
  LocalSlice memory() const override { return region_.local(); }
  std::uint64_t longest_message() const override { return device_.capabilities().max_message_size; }
  void poll() override {
    endpoint_.poll(8, [this](const Completion& completion) { keep(completion); });
  }

 private:
  Device device_;
  Buffer buffer_;
  decltype(std::declval<Device&>().register_memory({})) region_;
  decltype(std::declval<Device&>().make_endpoint({})) endpoint_;
};

Transport inproc_transport() {
  return {"inproc", [](const EndpointOptions& options, std::size_t memory) {
            return std::make_unique<SideOf<inproc::Device>>(inproc::Device{}, options, memory);
          }};
}

#ifdef PAIRBENCH_WITH_LIBFABRIC

// Both ends are in this process, so the control connection would be on loopback.
Transport libfabric_transport(std::string name, const std::string& provider,
                              bool context_slots = false) {
  return {std::move(name), [=](const EndpointOptions& options, std::size_t memory) {
            libfabric::Device device({.provider = provider, .local_ip = "127.0.0.1"},
                                     context_slots);
            return std::make_unique<SideOf<libfabric::Device>>(std::move(device), options, memory);
          }};
}

void add_libfabric(std::vector<Transport>& all) {
  all.push_back(libfabric_transport("libfabric_tcp", "tcp"));
  all.push_back(libfabric_transport("libfabric_tcp_slots", "tcp", true));
  all.push_back(libfabric_transport("libfabric_shm", "shm"));
  all.push_back(libfabric_transport("libfabric_shm_slots", "shm", true));
  all.push_back(libfabric_transport("libfabric_udp", "udp"));
  all.back().reports_truncation = false;  // ofi_rxd drops such a message without a word
  all.push_back(libfabric_transport("libfabric_efa", "efa"));
  all.push_back(libfabric_transport("libfabric_efa_direct", "efa-direct"));
  all.push_back(libfabric_transport("libfabric_verbs", "verbs;ofi_rxm"));
}

#endif

#ifdef PAIRBENCH_WITH_VERBS

Transport verbs_transport() {
  return {"verbs", [](const EndpointOptions& options, std::size_t memory) {
            return std::make_unique<SideOf<verbs::Device>>(verbs::Device(verbs::Request{}), options,
                                                           memory);
          }};
}

#endif

}  // namespace

std::vector<Transport> transports() {
  std::vector<Transport> all{inproc_transport()};
#ifdef PAIRBENCH_WITH_LIBFABRIC
  add_libfabric(all);
#endif
#ifdef PAIRBENCH_WITH_VERBS
  all.push_back(verbs_transport());
#endif
  return all;
}

}  // namespace pairbench::conformance
