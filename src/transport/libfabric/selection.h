// Which of the things that a provider lists is meant. Pure: plain data in, an index out.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pairbench::libfabric {

// What is asked for.
struct Request {
  std::string provider = {};  // as fi_getinfo takes it (tcp, verbs;ofi_rxm, efa-direct); empty: any
  std::string domain = {};    // domain or NIC name; empty: choose
  // This host's address of the control connection; the data should take the same road.
  std::optional<std::string> local_ip = {};
};

// What is there: one fi_info, as far as the choice needs it.
struct Candidate {
  std::string provider;  // tcp;ofi_rxm
  std::string fabric;
  std::string domain;
  std::string nic;  // empty where the provider names none
  std::string ip;   // numeric source address; empty where the provider has no IP addresses
  bool active = true;
  bool physical = true;
};

struct InterfaceAddress {
  std::string interface;
  std::string ip;
};

// The provider's name in -t: efa's second fabric goes by "efa-direct", all others by their own
// name.
std::string provider_name(const Candidate& candidate);

// Every name in the order of the candidates, each once.
std::vector<std::string> provider_names(std::span<const Candidate> candidates);

// The name among the candidates that `asked` stands for: itself; else, where RDM is layered over
// it, `asked;ofi_rxm` or `asked;ofi_rxd`; never another provider. An empty `asked` takes the first
// that reaches other hosts.
std::optional<std::string> resolve_provider(std::string_view asked,
                                            std::span<const Candidate> candidates);

// The best candidate of the provider and domain asked for: the one with the control connection's
// address, then one on the interface that owns it, then active, physical, IPv4 before global before
// link-local IPv6, loopback last, the lowest domain name. Nothing where provider or domain is not
// there.
std::optional<std::size_t> select(std::span<const Candidate> candidates, const Request& request,
                                  std::span<const InterfaceAddress> interfaces);

// Whether a choice made without a domain's name would keep the data on this host's loopback
// although the control connection comes over a network: it would measure another road, or none.
bool misses_the_network(const Candidate& chosen, const Request& request);

}  // namespace pairbench::libfabric
