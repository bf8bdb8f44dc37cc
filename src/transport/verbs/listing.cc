#include "transport/verbs/listing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "transport/verbs/capabilities.h"
#include "transport/verbs/device.h"

namespace pairbench::verbs {
namespace {

std::string gids_text(const PortFacts& port) {
  std::vector<std::string> gids;
  for (const Gid& gid : port.gids)
    gids.push_back(fmt::format("{} {} {}", gid.index, to_string(gid.type), gid.text()));
  return fmt::format("{}", fmt::join(gids, ", "));
}

DeviceRow row_of(const PortFacts& port) {
  DeviceRow row;
  row.transport = fmt::format("verbs:{}/{}", port.device, port.port);
  row.state = port.state;
  row.endpoint_type = "RC";
  row.address_format = port.ethernet ? "GID" : "LID";
  row.address = port.ethernet ? gids_text(port) : std::to_string(port.lid);
  row.capabilities = capabilities_of({port, std::nullopt});
  const auto why = why_unusable(port);
  row.usable = !why;
  row.note = why.value_or(fmt::format("{}, MTU {}{}", port.ethernet ? "RoCE" : "InfiniBand",
                                      port.active_mtu_bytes, port.software ? ", software" : ""));
  return row;
}

DeviceRow unusable(std::string transport, std::string why) {
  DeviceRow row;
  row.transport = std::move(transport);
  row.state = "absent";
  row.note = std::move(why);
  return row;
}

}  // namespace

std::vector<DeviceRow> list_devices() {
  std::vector<std::pair<std::string, std::string>> refused;
  std::vector<DeviceRow> rows;
  for (const PortFacts& port : list_ports(&refused)) rows.push_back(row_of(port));
  for (const auto& [name, why] : refused)
    rows.push_back(unusable("verbs:" + name, fmt::format("cannot be opened: {}", why)));
  if (rows.empty())
    rows.push_back(unusable("verbs",
                            "no RDMA device (scripts/soft-roce runs a command on a "
                            "software one)"));
  return rows;
}

}  // namespace pairbench::verbs
