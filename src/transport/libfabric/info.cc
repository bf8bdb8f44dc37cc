#include "transport/libfabric/info.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <rdma/fi_errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

#include "base/error.h"
#include "transport/libfabric/adapter.h"
#include "transport/libfabric/filter.h"
#include "transport/libfabric/leftovers.h"
#include "transport/libfabric/shared_memory.h"
#include "transport/libfabric/version.h"

namespace pairbench::libfabric {
namespace {

// Read at the library's first use, so this comes before it. rxm opens completion queues for as many
// peers as the universe has, 1024 by default: more than some devices take (rxe: 32767 entries). An
// endpoint here has one peer.
void set_defaults_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    setenv("FI_EFA_ENABLE_SHM_TRANSFER", "0", /*overwrite=*/0);
    setenv("FI_UNIVERSE_SIZE", "16", /*overwrite=*/0);
    require_supported(library_version());
  });
}

void prepare_shared_memory() {
  static std::once_flag once;
  std::call_once(once, [] { remove_leftovers_of(getpid()); });
  require_shared_memory();
}

std::string numeric_ip(const sockaddr* address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address->sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, address, sizeof in);
    inet_ntop(AF_INET, &in.sin_addr, text.data(), text.size());
  } else if (address->sa_family == AF_INET6) {
    sockaddr_in6 in{};
    std::memcpy(&in, address, sizeof in);
    inet_ntop(AF_INET6, &in.sin6_addr, text.data(), text.size());
  }
  return text.data();
}

std::vector<InterfaceAddress> interface_addresses() {
  std::vector<InterfaceAddress> result;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return result;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, &freeifaddrs);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr) continue;
    if (std::string ip = numeric_ip(entry->ifa_addr); !ip.empty())
      result.push_back({entry->ifa_name, std::move(ip)});
  }
  return result;
}

std::string any_if_empty(const std::string& text) {
  return text.empty() ? "any" : text;
}

std::vector<std::string> domains_of(const std::string& provider,
                                    const std::vector<Candidate>& candidates) {
  std::vector<std::string> names;
  for (const Candidate& candidate : candidates)
    if (provider_name(candidate) == provider &&
        std::ranges::find(names, candidate.domain) == names.end())
      names.push_back(candidate.domain);
  return names;
}

std::string why_no_provider(const std::string& asked) {
  const std::vector<std::string> built_in = built_in_providers();
  const std::string core = asked == "efa-direct" ? "efa" : asked.substr(0, asked.find(';'));
  const bool is_built_in = std::ranges::find(built_in, core) != built_in.end();
  if (const auto variable = hiding_variable(asked); variable && is_built_in)
    return fmt::format("{} hides provider {}: unset it", *variable, printed(asked));
  if (core == "efa")
    return "no EFA device that this process may open (see /sys/class/infiniband and the rights on "
           "/dev/infiniband), or this libfabric was built without efa";
  if (!is_built_in)
    return fmt::format("libfabric lists no provider {}: not built in, or it found no device", core);
  if (core == "shm")
    if (const auto shortage = shared_memory_shortage()) return *shortage;
  return fmt::format("provider {} is built in, but offers no such endpoint here", core);
}

std::string filter_text() {
  const char* filter = std::getenv("FI_PROVIDER");
  return filter == nullptr ? "" : fmt::format(" (FI_PROVIDER={})", filter);
}

[[noreturn]] void throw_not_found(const Request& request, const std::vector<Candidate>& found) {
  const std::string asked =
      fmt::format("asked: provider {}, domain {}, endpoint type FI_EP_RDM, caps FI_MSG, API {}",
                  printed(any_if_empty(request.provider)), any_if_empty(request.domain),
                  version_text(api_version()));
  if (const auto provider = resolve_provider(request.provider, found)) {
    throw Error(
        ExitStatus::no_device, Phase::device,
        fmt::format("libfabric provider {} has no domain {}", printed(*provider), request.domain),
        asked, fmt::format("its domains here: {}", fmt::join(domains_of(*provider, found), ", ")));
  }
  const auto everything = candidates_of(query("").get());
  auto names = provider_names(everything);
  std::ranges::transform(names, names.begin(), printed);
  throw Error(
      ExitStatus::no_device, Phase::device,
      fmt::format("libfabric has no usable provider {}", printed(any_if_empty(request.provider))),
      fmt::format("{}; {}; fi_getinfo: No data available (-61)", why_no_provider(request.provider),
                  asked),
      fmt::format("available here: {}{}",
                  names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")),
                  filter_text()));
}

void require_network(const Candidate& chosen, const Request& request,
                     const std::vector<Candidate>& candidates) {
  if (!misses_the_network(chosen, request)) return;
  const std::string provider = printed(chosen.provider);
  const auto domains = domains_of(chosen.provider, candidates);
  throw Error(
      ExitStatus::no_device, Phase::device,
      fmt::format("libfabric provider {} offers nothing on the interface with address {}, over "
                  "which the other host is reached",
                  provider, *request.local_ip),
      fmt::format("its domains here: {}", fmt::join(domains, ", ")),
      fmt::format(
          "reach the host by an address on one of them, name one: -t libfabric:{}/DOMAIN, or "
          "look for a variable that hides interfaces (FI_TCP_IFACE)",
          provider));
}

InfoHandle duplicate(const fi_info& info) {
  InfoHandle copy(fi_dupinfo(&info));
  if (!copy) throw std::bad_alloc();
  return copy;
}

bool is_same_source(const fi_info& a, const fi_info& b) {
  return text_or_empty(a.fabric_attr->prov_name) == text_or_empty(b.fabric_attr->prov_name) &&
         text_or_empty(a.fabric_attr->name) == text_or_empty(b.fabric_attr->name) &&
         text_or_empty(a.domain_attr->name) == text_or_empty(b.domain_attr->name) &&
         a.src_addrlen == b.src_addrlen && std::memcmp(a.src_addr, b.src_addr, a.src_addrlen) == 0;
}

// fi_getinfo gives a provider's default depths (tcp from 1.18: 256), which may be far from what it
// can do. Asked by name it gives more. Where it does not, its default stands.
InfoHandle with_useful_depths(InfoHandle chosen) {
  constexpr std::size_t kUsefulDepth = 1024;
  if (chosen->tx_attr->size >= kUsefulDepth && chosen->rx_attr->size >= kUsefulDepth) return chosen;
  const InfoHandle hints = duplicate(*chosen);
  hints->tx_attr->size = std::max(hints->tx_attr->size, kUsefulDepth);
  hints->rx_attr->size = std::max(hints->rx_attr->size, kUsefulDepth);
  fi_info* list = nullptr;
  if (fi_getinfo(api_version(), nullptr, nullptr, 0, hints.get(), &list) != 0) return chosen;
  const InfoHandle owner(list);
  for (const fi_info* info = list; info != nullptr; info = info->next)
    if (is_same_source(*info, *chosen)) return duplicate(*info);
  return chosen;
}

}  // namespace

InfoHandle make_hints(const std::string& provider) {
  InfoHandle hints(fi_allocinfo());
  if (!hints) throw std::bad_alloc();
  hints->caps = FI_MSG;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  // Below FI_SELECTIVE_COMPLETION: a send completes unless fi_sendmsg or fi_inject says otherwise
  // (fi_endpoint(3)). Asked here, provider efa tells it to the shm endpoint that it may open too.
  hints->tx_attr->op_flags = FI_COMPLETION;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  // Both: ofi_rxm's answer has locks unless it is asked for manual progress as well.
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  // fi_freeinfo frees the name with free().
  if (!provider.empty())
    hints->fabric_attr->prov_name = strdup(provider == "efa-direct" ? "efa" : provider.c_str());
  return hints;
}

InfoHandle query(const std::string& provider) {
  set_defaults_once();
  const InfoHandle hints = make_hints(provider);
  fi_info* list = nullptr;
  const int rc = fi_getinfo(api_version(), nullptr, nullptr, 0, hints.get(), &list);
  if (rc == -FI_ENODATA) return nullptr;
  if (rc != 0)
    throw Error(ExitStatus::no_device, Phase::device,
                fmt::format("cannot list libfabric provider {}", any_if_empty(provider)),
                fmt::format("fi_getinfo: {} ({})", fi_strerror(-rc), rc));
  return InfoHandle(list);
}

std::vector<std::string> built_in_providers() {
  set_defaults_once();
  fi_info* list = nullptr;
  if (fi_getinfo(api_version(), nullptr, nullptr, FI_PROV_ATTR_ONLY, nullptr, &list) != 0)
    return {};
  const InfoHandle owner(list);
  std::vector<std::string> names;
  for (const fi_info* info = list; info != nullptr; info = info->next) {
    std::string name = text_or_empty(info->fabric_attr->prov_name);
    if (!name.starts_with("ofi_") && std::ranges::find(names, name) == names.end())
      names.push_back(std::move(name));
  }
  return names;
}

std::vector<Candidate> candidates_of(const fi_info* list) {
  std::vector<Candidate> result;
  for (const fi_info* info = list; info != nullptr; info = info->next) {
    const AdapterFacts adapter = read_adapter(*info);
    Candidate candidate;
    candidate.provider = text_or_empty(info->fabric_attr->prov_name);
    candidate.fabric = text_or_empty(info->fabric_attr->name);
    candidate.domain = text_or_empty(info->domain_attr->name);
    if (info->nic != nullptr) candidate.nic = adapter.name.value_or("");
    candidate.ip = ip_text(info->addr_format, info->src_addr, info->src_addrlen);
    candidate.active = adapter.state != "down";
    candidate.physical = adapter.physical;
    result.push_back(std::move(candidate));
  }
  return result;
}

InfoHandle find_info(const Request& request) {
  if (request.provider == "shm") prepare_shared_memory();
  const InfoHandle list = query(request.provider);
  const auto candidates = candidates_of(list.get());
  const auto chosen = select(candidates, request, interface_addresses());
  if (!chosen) throw_not_found(request, candidates);
  require_network(candidates[*chosen], request, candidates);
  const fi_info* info = list.get();
  for (std::size_t i = 0; i < *chosen; ++i) info = info->next;
  return with_useful_depths(duplicate(*info));
}

std::string text_or_empty(const char* text) {
  return text == nullptr ? "" : text;
}

std::string printed(std::string provider) {
  std::ranges::replace(provider, ';', '+');
  return provider;
}

std::string text_of(const void* value, fi_type type) {
  std::array<char, 1024> text{};
  return text_or_empty(fi_tostr_r(text.data(), text.size(), value, type));
}

std::string ip_text(std::uint32_t format, const void* address, std::size_t length) {
  const bool is_socket_address =
      format == FI_SOCKADDR || format == FI_SOCKADDR_IN || format == FI_SOCKADDR_IN6;
  if (!is_socket_address || address == nullptr || length < sizeof(sockaddr_in)) return {};
  const auto* socket_address = static_cast<const sockaddr*>(address);
  if (socket_address->sa_family == AF_INET6 && length < sizeof(sockaddr_in6)) return {};
  return numeric_ip(socket_address);
}

}  // namespace pairbench::libfabric
