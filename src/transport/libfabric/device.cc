#include "transport/libfabric/device.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <optional>

#include "base/error.h"
#include "base/resource_limits.h"
#include "transport/libfabric/adapter.h"
#include "transport/libfabric/capabilities.h"
#include "transport/libfabric/errors.h"
#include "transport/libfabric/info.h"
#include "transport/libfabric/leftovers.h"
#include "transport/libfabric/shared_memory.h"

namespace pairbench::libfabric {
namespace {

bool wants_contexts(const fi_info& info) {
  return (info.mode & (FI_CONTEXT | FI_CONTEXT2)) != 0;
}

FabricHandle open_fabric(const fi_info& info, const std::string& transport) {
  fid_fabric* fabric = nullptr;
  if (const int rc = fi_fabric(info.fabric_attr, &fabric, nullptr); rc != 0)
    throw_call("fi_fabric", rc, transport, Phase::device);
  return FabricHandle(fabric);
}

DomainHandle open_domain(fid_fabric* fabric, fi_info& info, const std::string& transport) {
  fid_domain* domain = nullptr;
  if (const int rc = fi_domain(fabric, &info, &domain, nullptr); rc != 0)
    throw_call("fi_domain", rc, transport, Phase::device);
  return DomainHandle(domain);
}

std::string locked_memory_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  return limit.rlim_cur == RLIM_INFINITY ? "unlimited" : fmt::format("{} bytes", limit.rlim_cur);
}

// Facts beside the provider's own that change the figures.
void add_circumstances(Capabilities& capabilities) {
  if (capabilities.provider == "shm") {
    capabilities.details["cross_memory_attach"] = cross_memory_attach();
    if (const auto scope = ptrace_scope()) capabilities.details["ptrace_scope"] = *scope;
  }
  if (capabilities.provider == "efa") {
    const char* diversion = std::getenv("FI_EFA_ENABLE_SHM_TRANSFER");
    capabilities.details["efa_shm_transfer"] = diversion == nullptr ? "default" : diversion;
  }
}

}  // namespace

Device::Device(const Request& request, bool context_slots)
    : info_(find_info(request)),
      capabilities_(capabilities_of(*info_, read_adapter(*info_))),
      use_slots_(context_slots || wants_contexts(*info_)),
      fabric_(open_fabric(*info_, capabilities_.opened)),
      domain_(open_domain(fabric_.get(), *info_, capabilities_.opened)) {
  add_circumstances(capabilities_);
}

Region Device::register_memory(std::span<std::byte> bytes) {
  if ((info_->domain_attr->mr_mode & FI_MR_LOCAL) == 0) return Region(bytes, nullptr);
  fid_mr* memory = nullptr;
  const int rc = fi_mr_reg(domain_.get(), bytes.data(), bytes.size(), FI_SEND | FI_RECV, 0,
                           next_key_++, 0, &memory, nullptr);
  if (rc == 0) return Region(bytes, MemoryHandle(memory));
  throw Error(ExitStatus::failed, Phase::open,
              fmt::format("cannot register {} bytes with {}: RLIMIT_MEMLOCK is {}", bytes.size(),
                          capabilities_.opened, locked_memory_limit()),
              fmt::format("fi_mr_reg: {}", error_text(rc)),
              "raise the limit on locked memory (ulimit -l unlimited)");
}

bool Device::diverts_to_shared_memory() const {
  const auto choice = capabilities_.details.find("efa_shm_transfer");
  return choice == capabilities_.details.end() || choice->second != "0";
}

Endpoint Device::make_endpoint(const EndpointOptions& options) const {
  const InfoHandle own(fi_dupinfo(info_.get()));
  if (options.report_not_ready) own->domain_attr->resource_mgmt = FI_RM_DISABLED;
  Endpoint endpoint(domain_.get(), *own, capabilities_.opened, options, use_slots_);
  if (!diverts_to_shared_memory()) remove_efa_segment(endpoint.address());
  return endpoint;
}

Probe Device::probe(const AddressBlob& peer) const {
  constexpr std::chrono::seconds kWait{1};
  Probe result;
  const std::string provider = provider_name_of(*info_);
  // Where locked memory is short, libfabric 1.17 ends the process.
  if (!provider.starts_with("efa") || !locks_any_memory()) return result;
  std::optional<Endpoint> endpoint;
  try {
    endpoint.emplace(make_endpoint({.tx_depth = 1, .rx_depth = 1, .report_not_ready = true}));
    endpoint->connect(peer);
    result.arrived = endpoint->probe(provider == "efa", kWait);
  } catch (const Error& error) {
    // Any other failure is this endpoint's own and explains nothing.
    if (error.failure().status == ExitStatus::peer) result.failure = error.failure();
  }
  if (endpoint) endpoint->abandon();
  return result;
}

}  // namespace pairbench::libfabric
