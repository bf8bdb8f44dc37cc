#include "transport/verbs/port.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <system_error>

#include "base/error.h"
#include "base/system_files.h"

namespace pairbench::verbs {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kAmazon = 0x1d0f;  // PCI vendor number
constexpr int kGidsInReach = 256;          // a queue pair's path names its GID in eight bits

[[noreturn]] void throw_silent(const std::string& device, const char* call, int error) {
  throw Error(ExitStatus::no_device, Phase::device, fmt::format("verbs:{} does not answer", device),
              fmt::format("{}: {}", call, std::strerror(error)));
}

GidType type_of(std::uint32_t type) {
  switch (type) {
    case IBV_GID_TYPE_ROCE_V1:
      return GidType::roce_v1;
    case IBV_GID_TYPE_ROCE_V2:
      return GidType::roce_v2;
    default:
      return GidType::ib;
  }
}

// The port's rows one by one: ibv_query_gid_table gives those of all ports together.
std::vector<Gid> read_gids(ibv_context& context, int port, int rows) {
  std::vector<Gid> gids;
  for (int index = 0; index < std::min(rows, kGidsInReach); ++index) {
    ibv_gid_entry entry{};
    if (ibv_query_gid_ex(&context, static_cast<std::uint32_t>(port),
                         static_cast<std::uint32_t>(index), &entry, 0) != 0)
      continue;
    Gid gid;
    gid.index = index;
    std::memcpy(gid.raw.data(), entry.gid.raw, gid.raw.size());
    gid.type = type_of(entry.gid_type);
    if (!gid.is_empty()) gids.push_back(gid);
  }
  return gids;
}

int mtu_bytes(ibv_mtu mtu) {
  return 128 << static_cast<int>(mtu);  // IBV_MTU_256 is 1
}

// A device without a bus below it is made by a kernel module alone.
bool is_virtual(const fs::path& device) {
  std::error_code error;
  return fs::canonical(device, error).string().find("/devices/virtual/") != std::string::npos;
}

PortFacts read_port(ibv_context& context, const ibv_device_attr& device, int number,
                    const fs::path& sysfs) {
  PortFacts facts;
  facts.device = ibv_get_device_name(context.device);
  facts.port = number;
  ibv_port_attr port{};
  if (const int error = ibv_query_port(&context, static_cast<std::uint8_t>(number), &port);
      error != 0)
    throw_silent(facts.device, "ibv_query_port", error);
  facts.is_efa = device.vendor_id == kAmazon;
  facts.has_rc = context.device->transport_type == IBV_TRANSPORT_IB && !facts.is_efa;
  facts.ethernet = port.link_layer == IBV_LINK_LAYER_ETHERNET;
  facts.active = port.state == IBV_PORT_ACTIVE;
  facts.state = facts.active ? "up" : "down";
  facts.lid = port.lid;
  facts.active_mtu_bytes = mtu_bytes(port.active_mtu);
  facts.max_message_size = port.max_msg_sz;
  facts.max_work_requests = static_cast<std::size_t>(device.max_qp_wr);
  facts.max_completions = static_cast<std::size_t>(device.max_cqe);
  facts.gid_rows = port.gid_tbl_len;
  facts.gids = read_gids(context, number, port.gid_tbl_len);
  facts.firmware = device.fw_ver;
  const fs::path home = sysfs / "class/infiniband" / facts.device;
  if (const auto rate = read_line(home / fmt::format("ports/{}/rate", number)))
    facts.link_bits_per_second = parse_rate(*rate);
  if (const auto node = read_line(home / "device/numa_node"))
    facts.numa_node = std::atoi(node->c_str());
  facts.software = is_virtual(home);
  return facts;
}

}  // namespace

std::vector<PortFacts> read_ports(ibv_context& context, const fs::path& sysfs) {
  ibv_device_attr device{};
  if (const int error = ibv_query_device(&context, &device); error != 0)
    throw_silent(ibv_get_device_name(context.device), "ibv_query_device", error);
  std::vector<PortFacts> ports;
  for (int number = 1; number <= device.phys_port_cnt; ++number)
    ports.push_back(read_port(context, device, number, sysfs));
  return ports;
}

std::optional<std::uint64_t> parse_rate(const std::string& text) {
  std::istringstream in(text);
  double gigabits = 0;
  std::string unit;
  if (!(in >> gigabits >> unit) || unit != "Gb/sec" || gigabits <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(gigabits * 1e9);
}

}  // namespace pairbench::verbs
