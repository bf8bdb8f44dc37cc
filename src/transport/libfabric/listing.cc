#include "transport/libfabric/listing.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>
#include <system_error>

#include "transport/libfabric/adapter.h"
#include "transport/libfabric/capabilities.h"
#include "transport/libfabric/filter.h"
#include "transport/libfabric/info.h"
#include "transport/libfabric/shared_memory.h"

namespace pairbench::libfabric {
namespace {

namespace fs = std::filesystem;

std::string core_of(const std::string& provider) {
  return provider.substr(0, provider.find(';'));
}

// tcp for tcp;ofi_rxm, where -t takes it to mean that.
std::string short_name(const std::string& provider, std::span<const Candidate> all) {
  const std::string core = core_of(provider);
  return resolve_provider(core, all) == provider ? core : provider;
}

// An EFA address begins with the device's GID.
std::string address_text(const fi_info& info) {
  if (info.addr_format != FI_ADDR_EFA || info.src_addrlen < sizeof(in6_addr))
    return ip_text(info.addr_format, info.src_addr, info.src_addrlen);
  std::array<char, INET6_ADDRSTRLEN> text{};
  return inet_ntop(AF_INET6, info.src_addr, text.data(), text.size()) == nullptr ? "" : text.data();
}

std::string note_of(const Capabilities& capabilities) {
  if (capabilities.same_host_only) return "this host only";
  std::string note =
      capabilities.software ? "software" : fmt::format("fabric {}", capabilities.fabric);
  if (const auto layer = capabilities.provider.find(';'); layer != std::string::npos)
    note += fmt::format(", {} over {}", capabilities.provider.substr(layer + 1),
                        core_of(capabilities.provider));
  return note;
}

DeviceRow usable_row(const fi_info& info, std::span<const Candidate> all, const fs::path& sysfs) {
  const AdapterFacts adapter = read_adapter(info, sysfs);
  DeviceRow row;
  row.capabilities = capabilities_of(info, adapter);
  const std::string provider = short_name(provider_name_of(info), all);
  row.transport = provider == row.capabilities.domain
                      ? fmt::format("libfabric:{}", provider)
                      : fmt::format("libfabric:{}/{}", printed(provider), row.capabilities.domain);
  row.usable = adapter.state != "down";
  row.state = adapter.state.empty() ? "up" : adapter.state;
  row.note = row.usable ? note_of(row.capabilities) : "the link is down";
  row.endpoint_type = text_of(&info.ep_attr->type, FI_TYPE_EP_TYPE);
  row.address_format = text_of(&info.addr_format, FI_TYPE_ADDR_FORMAT);
  row.address = address_text(info);
  if (!row.capabilities.software)
    row.group =
        fmt::format("{} {} {}", provider, adapter.link_bits_per_second.value_or(0), row.state);
  return row;
}

DeviceRow unusable_row(const std::string& provider, std::string note) {
  DeviceRow row;
  row.transport = fmt::format("libfabric:{}", printed(provider));
  row.state = "absent";
  row.note = std::move(note);
  return row;
}

// By Amazon's PCI vendor number.
bool has_efa_device(const fs::path& sysfs) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(sysfs / "class/infiniband", error)) {
    std::ifstream in(entry.path() / "device/vendor");
    std::string vendor;
    if (in >> vendor && vendor == "0x1d0f") return true;
  }
  return false;
}

std::string why_unusable(const std::string& provider) {
  if (const auto variable = hiding_variable(provider)) return "hidden by " + *variable;
  if (provider == "shm")
    if (const auto shortage = shared_memory_shortage()) return *shortage;
  return "built in, no device found";
}

void add_unusable(std::vector<DeviceRow>& rows, std::span<const Candidate> all,
                  const fs::path& sysfs) {
  const auto is_usable = [&](const std::string& core) {
    return std::ranges::any_of(all, [&](const auto& c) { return core_of(c.provider) == core; });
  };
  std::set<std::string> absent;
  for (const std::string& name : built_in_providers())
    if (!is_usable(core_of(name))) absent.insert(core_of(name));
  if (!is_usable("efa") && has_efa_device(sysfs)) {
    absent.erase("efa");
    rows.push_back(
        unusable_row("efa",
                     "an EFA device is here, but libfabric cannot open it: see the rights on "
                     "/dev/infiniband, or this libfabric has no efa provider"));
  }
  for (const std::string& name : absent) rows.push_back(unusable_row(name, why_unusable(name)));
}

}  // namespace

std::vector<DeviceRow> list_devices(const fs::path& sysfs) {
  const InfoHandle list = query("");
  const std::vector<Candidate> all = candidates_of(list.get());
  std::vector<DeviceRow> rows;
  std::set<std::string> seen;
  for (const fi_info* info = list.get(); info != nullptr; info = info->next)
    if (seen.insert(transport_text(*info)).second) rows.push_back(usable_row(*info, all, sysfs));
  std::stable_partition(rows.begin(), rows.end(), [](const DeviceRow& row) { return row.usable; });
  add_unusable(rows, all, sysfs);
  return rows;
}

}  // namespace pairbench::libfabric
