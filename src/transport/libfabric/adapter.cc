#include "transport/libfabric/adapter.h"

#include <fmt/format.h>

#include <fstream>
#include <system_error>

namespace pairbench::libfabric {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> read_word(const fs::path& file) {
  std::ifstream in(file);
  std::string word;
  if (in >> word) return word;
  return std::nullopt;
}

std::optional<std::int64_t> read_number(const fs::path& file) {
  std::ifstream in(file);
  std::int64_t number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

std::optional<std::uint64_t> positive(std::optional<std::int64_t> number) {
  if (!number || *number <= 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

std::optional<int> numa_node_of(const fs::path& device) {
  const auto node = read_number(device / "numa_node");
  if (!node || *node < 0) return std::nullopt;  // the kernel writes -1 for "unknown"
  return static_cast<int>(*node);
}

// /sys/class/net/*/speed is in Mb/s, -1 where the driver does not know.
void read_interface(const fs::path& folder, AdapterFacts& facts) {
  facts.name = folder.filename().string();
  if (const auto speed = positive(read_number(folder / "speed")))
    facts.link_bits_per_second = *speed * 1'000'000;
  facts.mtu_bytes = positive(read_number(folder / "mtu"));
  facts.numa_node = numa_node_of(folder / "device");
  // Loopback has no carrier to report and says "unknown".
  const std::string state = read_word(folder / "operstate").value_or("");
  facts.state = state == "unknown" ? "up" : state;
  std::error_code ignored;
  facts.physical = fs::exists(folder / "device", ignored);
}

void read_link(const fi_link_attr& link, AdapterFacts& facts) {
  if (link.speed > 0) facts.link_bits_per_second = link.speed;
  if (link.mtu > 0) facts.mtu_bytes = link.mtu;
  if (link.state == FI_LINK_UP) facts.state = "up";
  if (link.state == FI_LINK_DOWN) facts.state = "down";
}

void read_nic(const fid_nic& nic, const fs::path& sysfs, AdapterFacts& facts) {
  if (nic.device_attr != nullptr && nic.device_attr->name != nullptr) {
    facts.name = nic.device_attr->name;
    const fs::path device = sysfs / "class/infiniband" / *facts.name / "device";
    std::error_code ignored;
    facts.physical = facts.physical || fs::exists(device, ignored);
    if (const auto node = numa_node_of(device)) facts.numa_node = node;
  }
  if (nic.link_attr != nullptr) read_link(*nic.link_attr, facts);
  if (nic.bus_attr != nullptr && nic.bus_attr->bus_type == FI_BUS_PCI) {
    facts.physical = true;
    const fi_pci_attr& pci = nic.bus_attr->attr.pci;
    const auto name = fmt::format("{:04x}:{:02x}:{:02x}.{:x}", pci.domain_id, pci.bus_id,
                                  pci.device_id, pci.function_id);
    if (const auto node = numa_node_of(sysfs / "bus/pci/devices" / name)) facts.numa_node = node;
  }
}

}  // namespace

AdapterFacts read_adapter(const fi_info& info, const fs::path& sysfs) {
  AdapterFacts facts;
  if (info.domain_attr != nullptr && info.domain_attr->name != nullptr) {
    const fs::path interface = sysfs / "class/net" / info.domain_attr->name;
    std::error_code ignored;
    if (fs::exists(interface, ignored)) read_interface(interface, facts);
  }
  if (info.nic != nullptr) read_nic(*info.nic, sysfs, facts);
  return facts;
}

}  // namespace pairbench::libfabric
