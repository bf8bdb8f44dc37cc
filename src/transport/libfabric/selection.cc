#include "transport/libfabric/selection.h"

#include <algorithm>
#include <tuple>

namespace pairbench::libfabric {
namespace {

bool is_ipv6(std::string_view ip) {
  return ip.find(':') != std::string_view::npos;
}
bool is_loopback(std::string_view ip) {
  return ip == "::1" || ip.starts_with("127.");
}

// fe80::/10
bool is_link_local(std::string_view ip) {
  return ip.size() > 3 && (ip.starts_with("fe8") || ip.starts_with("fe9") ||
                           ip.starts_with("fea") || ip.starts_with("feb"));
}

// An IPv4 address that a dual-stack socket reports as IPv6, and a link-local one's scope, stripped.
std::string_view plain_ip(std::string_view ip) {
  constexpr std::string_view kMapped = "::ffff:";
  if (ip.starts_with(kMapped) && ip.find('.') != std::string_view::npos)
    ip.remove_prefix(kMapped.size());
  return ip.substr(0, ip.find('%'));
}

std::string_view interface_of(std::string_view ip, std::span<const InterfaceAddress> interfaces) {
  const auto found =
      std::ranges::find_if(interfaces, [&](const auto& entry) { return entry.ip == ip; });
  return found == interfaces.end() ? std::string_view{} : std::string_view{found->interface};
}

// How far a candidate is from the control connection's road; 0 is on it.
int distance(const Candidate& candidate, std::string_view local_ip, std::string_view interface) {
  constexpr int kElsewhere = 3;
  if (local_ip.empty()) return kElsewhere;
  if (candidate.ip == local_ip) return 0;
  if (interface.empty() || candidate.domain != interface) return kElsewhere;
  return is_ipv6(candidate.ip) == is_ipv6(local_ip) ? 1 : 2;
}

int address_rank(std::string_view ip) {
  if (is_loopback(ip)) return is_ipv6(ip) ? 4 : 3;
  if (is_link_local(ip)) return 2;
  return is_ipv6(ip) ? 1 : 0;
}

bool is_domain(const Candidate& candidate, std::string_view name) {
  return name.empty() || candidate.domain == name || candidate.nic == name;
}

}  // namespace

std::string provider_name(const Candidate& candidate) {
  return candidate.fabric == "efa-direct" ? candidate.fabric : candidate.provider;
}

std::vector<std::string> provider_names(std::span<const Candidate> candidates) {
  std::vector<std::string> names;
  for (const Candidate& candidate : candidates) {
    std::string name = provider_name(candidate);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

std::optional<std::string> resolve_provider(std::string_view asked,
                                            std::span<const Candidate> candidates) {
  const std::vector<std::string> names = provider_names(candidates);
  if (asked.empty()) {
    // shm reaches this host alone; efa-direct is for those who ask for it by name.
    const auto first = std::ranges::find_if(
        names, [](const auto& name) { return name != "shm" && name != "efa-direct"; });
    return first == names.end() ? std::nullopt : std::optional(*first);
  }
  for (const std::string_view layer : {"", ";ofi_rxm", ";ofi_rxd"}) {
    std::string name = std::string(asked).append(layer);
    if (std::ranges::find(names, name) != names.end()) return name;
  }
  return std::nullopt;
}

std::optional<std::size_t> select(std::span<const Candidate> candidates, const Request& request,
                                  std::span<const InterfaceAddress> interfaces) {
  const auto provider = resolve_provider(request.provider, candidates);
  if (!provider) return std::nullopt;
  const std::string_view local_ip =
      request.local_ip ? plain_ip(*request.local_ip) : std::string_view{};
  const std::string_view interface = interface_of(local_ip, interfaces);
  const auto key = [&](const Candidate& c) {
    return std::tuple(distance(c, local_ip, interface), !c.active, address_rank(c.ip) >= 3,
                      !c.physical, address_rank(c.ip), std::string_view{c.domain});
  };
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (provider_name(candidates[i]) != *provider || !is_domain(candidates[i], request.domain))
      continue;
    if (!best || key(candidates[i]) < key(candidates[*best])) best = i;
  }
  return best;
}

bool misses_the_network(const Candidate& chosen, const Request& request) {
  return request.domain.empty() && request.local_ip && !is_loopback(plain_ip(*request.local_ip)) &&
         is_loopback(chosen.ip);
}

}  // namespace pairbench::libfabric
