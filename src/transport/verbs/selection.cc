#include "transport/verbs/selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "base/error.h"

namespace pairbench::verbs {
namespace {

std::string name_of(const PortFacts& port) {
  return fmt::format("verbs:{}/{}", port.device, port.port);
}

std::string asked_text(const Request& request) {
  std::string text = "verbs:" + (request.device.empty() ? "any device" : request.device);
  if (request.port) text += fmt::format("/{}", *request.port);
  return text;
}

[[noreturn]] void refuse(const std::string& what, const std::string& why, const std::string& hint) {
  throw Error(ExitStatus::no_device, Phase::device, what, why, hint);
}

std::string names_of(std::span<const PortFacts> ports) {
  std::vector<std::string> names;
  for (const PortFacts& port : ports)
    if (!why_unusable(port)) names.push_back(name_of(port));
  return names.empty() ? "there is no usable one here"
                       : fmt::format("usable here: {}", fmt::join(names, ", "));
}

bool is_asked_for(const PortFacts& port, const Request& request) {
  return (request.device.empty() || port.device == request.device) &&
         (!request.port || port.port == *request.port);
}

bool has_gid(const PortFacts& port, const std::array<std::uint8_t, 16>& raw) {
  return std::any_of(port.gids.begin(), port.gids.end(),
                     [&](const Gid& gid) { return gid.raw == raw; });
}

// Lower is better.
auto rank(const Gid& gid, const std::optional<std::array<std::uint8_t, 16>>& local) {
  const bool other_family = local && gid.is_ipv4() != Gid{0, *local, GidType::ib}.is_ipv4();
  return std::tuple(!(local && gid.raw == *local), gid.type == GidType::roce_v1, other_family,
                    gid.is_link_local(), !gid.is_ipv4(), gid.index);
}

const Gid* row_of(const PortFacts& port, int index) {
  const auto found = std::find_if(port.gids.begin(), port.gids.end(),
                                  [&](const Gid& gid) { return gid.index == index; });
  return found == port.gids.end() ? nullptr : &*found;
}

std::string rows_of(const PortFacts& port) {
  std::vector<std::string> rows;
  for (const Gid& gid : port.gids)
    rows.push_back(fmt::format("{} {} {}", gid.index, to_string(gid.type), gid.text()));
  return rows.empty() ? "it has no GID" : fmt::format("its GIDs: {}", fmt::join(rows, ", "));
}

std::optional<Gid> choose_gid(const PortFacts& port, const Request& request,
                              const std::optional<std::array<std::uint8_t, 16>>& local) {
  if (request.gid_index) {
    if (const Gid* gid = row_of(port, *request.gid_index)) return *gid;
    const bool outside = *request.gid_index >= port.gid_rows;
    refuse(fmt::format("{} has no GID {}", name_of(port), *request.gid_index),
           outside ? fmt::format("its table has {} rows", port.gid_rows) : "that row is empty",
           rows_of(port));
  }
  if (!port.ethernet) return std::nullopt;
  const auto best =
      std::min_element(port.gids.begin(), port.gids.end(),
                       [&](const Gid& a, const Gid& b) { return rank(a, local) < rank(b, local); });
  if (best == port.gids.end())
    refuse(fmt::format("{} has no GID", name_of(port)), "on Ethernet RC needs one",
           "give its network interface an address: ip address add …");
  return *best;
}

[[noreturn]] void throw_nothing(std::span<const PortFacts> ports, const Request& request) {
  const std::string asked = asked_text(request);
  for (const PortFacts& port : ports)
    if (is_asked_for(port, request))
      if (const auto why = why_unusable(port))
        refuse(asked + " cannot be used", *why, names_of(ports));
  if (ports.empty())
    refuse("no RDMA device for " + asked,
           "/sys/class/infiniband is empty, or its devices may not be opened",
           "where there is no adapter: scripts/soft-roce runs a command on a software one");
  refuse("no such RDMA port: " + asked, "", names_of(ports));
}

}  // namespace

std::optional<std::string> why_unusable(const PortFacts& port) {
  if (port.is_efa) return "EFA has no RC queue pairs (UD and SRD only): use libfabric:efa";
  if (!port.has_rc) return "the device has no RC queue pairs";
  if (!port.active) return "the port is " + port.state;
  if (port.ethernet && port.gids.empty())
    return "it has no GID: give its network interface an address";
  return std::nullopt;
}

Choice select(std::span<const PortFacts> ports, const Request& request) {
  std::optional<std::array<std::uint8_t, 16>> local;
  if (request.local_ip) local = gid_of_ip(*request.local_ip);
  const PortFacts* best = nullptr;
  const auto key = [&](const PortFacts& port) {
    return std::tuple(!(local && has_gid(port, *local)), port.device, port.port);
  };
  for (const PortFacts& port : ports) {
    if (!is_asked_for(port, request) || why_unusable(port)) continue;
    if (best == nullptr || key(port) < key(*best)) best = &port;
  }
  if (best == nullptr) throw_nothing(ports, request);
  return {*best, choose_gid(*best, request, local)};
}

}  // namespace pairbench::verbs
