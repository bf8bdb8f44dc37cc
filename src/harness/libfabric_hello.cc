#include "base/error.h"
#include "harness/hello.h"
#include "transport/libfabric/hello.h"

namespace pairbench {

void hello(const HelloRequest& request, const std::function<void(const std::string&)>& say,
           const std::atomic<bool>& stop) {
  if (request.transport.kind != TransportKind::libfabric)
    throw_usage("-t: hello works over libfabric alone",
                "for example: pairbench hello -t libfabric:tcp");
  const libfabric::Request device{request.transport.provider, request.transport.device,
                                  std::nullopt};
  if (request.peer_address.empty()) {
    libfabric::Device here(device);
    libfabric::hello_receive(here, {request.messages, std::nullopt}, say, stop);
    return;
  }
  const AddressBlob peer = libfabric::parse_address(request.peer_address);
  libfabric::Request towards = device;
  towards.local_ip = libfabric::local_ip_towards(peer);
  libfabric::Device here(towards);
  libfabric::hello_send(here, peer, request.text, say, stop);
}

}  // namespace pairbench
