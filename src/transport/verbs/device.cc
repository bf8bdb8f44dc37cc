#include "transport/verbs/device.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "transport/verbs/capabilities.h"
#include "transport/verbs/errors.h"

namespace pairbench::verbs {
namespace {

// The largest payload worth carrying in a work request: larger ones make every request larger.
constexpr std::uint32_t kUsefulInline = 256;

// The list of devices; it may go before the devices that were opened from it.
class DeviceList {
 public:
  DeviceList() : list_(ibv_get_device_list(&count_)) {}
  ~DeviceList() {
    if (list_ != nullptr) ibv_free_device_list(list_);
  }
  DeviceList(const DeviceList&) = delete;
  DeviceList& operator=(const DeviceList&) = delete;

  std::span<ibv_device*> all() const {
    return {list_, list_ == nullptr ? 0 : static_cast<std::size_t>(count_)};
  }

 private:
  int count_ = 0;
  ibv_device** list_;
};

ContextHandle open_device(const std::string& name) {
  const DeviceList list;
  for (ibv_device* device : list.all())
    if (name == ibv_get_device_name(device)) {
      ContextHandle context(ibv_open_device(device));
      if (context) return context;
      throw Error(ExitStatus::no_device, Phase::device, fmt::format("cannot open verbs:{}", name),
                  std::strerror(errno), "look at the rights on /dev/infiniband/uverbs*");
    }
  throw Error(ExitStatus::no_device, Phase::device, fmt::format("verbs:{} has gone", name));
}

Choice choose(const Request& request) {
  std::vector<std::pair<std::string, std::string>> refused;
  const std::vector<PortFacts> ports = list_ports(&refused);
  for (const auto& [name, why] : refused)
    if (name == request.device)
      throw Error(ExitStatus::no_device, Phase::device, fmt::format("cannot open verbs:{}", name),
                  why, "look at the rights on /dev/infiniband/uverbs*");
  return select(ports, request);
}

// Queue pairs of the kind that endpoints use, with less and less inline data until the device
// agrees.
std::size_t probe_inline(ibv_context& context, ibv_pd& domain) {
  const CompletionQueueHandle queue(ibv_create_cq(&context, 1, nullptr, nullptr, 0));
  if (!queue) return 0;
  for (std::uint32_t size = kUsefulInline; size > 0; size /= 2) {
    ibv_qp_init_attr attributes{};
    attributes.send_cq = attributes.recv_cq = queue.get();
    attributes.cap = {1, 1, 1, 1, size};
    attributes.qp_type = IBV_QPT_RC;
    if (const QueuePairHandle pair(ibv_create_qp(&domain, &attributes)); pair)
      return attributes.cap.max_inline_data;
  }
  return 0;
}

std::string locked_memory_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return "unknown";
  return limit.rlim_cur == RLIM_INFINITY ? "unlimited" : fmt::format("{} bytes", limit.rlim_cur);
}

}  // namespace

std::vector<PortFacts> list_ports(std::vector<std::pair<std::string, std::string>>* refused) {
  const DeviceList list;
  std::vector<PortFacts> all;
  for (ibv_device* device : list.all()) {
    const std::string name = ibv_get_device_name(device);
    const ContextHandle context(ibv_open_device(device));
    if (!context) {
      refused->emplace_back(name, std::strerror(errno));
      continue;
    }
    try {
      const std::vector<PortFacts> ports = read_ports(*context);
      all.insert(all.end(), ports.begin(), ports.end());
    } catch (const Error& error) {
      refused->emplace_back(name, error.failure().cause);
    }
  }
  return all;
}

Device::Device(const Request& request) : choice_(choose(request)) {
  context_ = open_device(choice_.port.device);
  domain_.reset(ibv_alloc_pd(context_.get()));
  if (!domain_) throw_call("ibv_alloc_pd", errno, "verbs:" + choice_.port.device);
  choice_.port.max_inline = probe_inline(*context_, *domain_);
  capabilities_ = capabilities_of(choice_);
}

Region Device::register_memory(std::span<std::byte> bytes) {
  MemoryHandle memory(
      ibv_reg_mr(domain_.get(), bytes.data(), bytes.size(), IBV_ACCESS_LOCAL_WRITE));
  if (memory) return {bytes, std::move(memory)};
  throw Error(ExitStatus::failed, Phase::open,
              fmt::format("cannot register {} bytes with {}", bytes.size(), capabilities_.opened),
              fmt::format("ibv_reg_mr: {}; the limit on locked memory is {}", std::strerror(errno),
                          locked_memory_limit()),
              "raise it (ulimit -l unlimited), or measure smaller sizes");
}

Endpoint Device::make_endpoint(const EndpointOptions& options) const {
  return Endpoint(*context_, *domain_, choice_, capabilities_, options);
}

}  // namespace pairbench::verbs
