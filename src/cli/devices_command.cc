#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/commands.h"
#include "cli/output.h"
#include "harness/device_listing.h"
#include "plan/json.h"
#include "plan/json_fields.h"

namespace pairbench {
namespace {

using Json = nlohmann::ordered_json;

struct DevicesArguments {
  bool json = false;
  bool all = false;
};

Json to_row(const DeviceRow& row) {
  return {{"transport", row.transport},
          {"usable", row.usable},
          {"state", row.state},
          {"note", row.note},
          {"endpoint_type", row.endpoint_type},
          {"address_format", row.address_format},
          {"address", row.address},
          {"capabilities", row.capabilities}};
}

std::string as_json(const std::vector<DeviceRow>& rows) {
  Json devices = Json::array();
  for (const DeviceRow& row : rows) devices.push_back(to_row(row));
  return Json{{"schema_version", 1}, {"devices", devices}}.dump(2) + "\n";
}

std::string link_text(const Capabilities& c) {
  if (!c.link_bits_per_second) return "-";
  return fmt::format("{:g} Gb/s", static_cast<double>(*c.link_bits_per_second) / 1e9);
}

std::string numa_text(const Capabilities& c) {
  return c.numa_node && *c.numa_node >= 0 ? std::to_string(*c.numa_node) : "-";
}

std::string usable_line(const DeviceRow& row) {
  return fmt::format("{:<32} {:>9}  {:<5}  {:<4}  {}\n", row.transport, link_text(row.capabilities),
                     row.state, numa_text(row.capabilities), row.note);
}

// What a person asks for on top: the fields that decide between two domains of one provider.
std::string detail_line(const DeviceRow& row) {
  const Capabilities& c = row.capabilities;
  return fmt::format("    {} {} {}, fabric {}, depths {}/{}, inject {}, address {}\n",
                     row.endpoint_type, c.provider, c.nic.value_or("no NIC"),
                     c.fabric.empty() ? "-" : c.fabric, c.max_tx_depth, c.max_rx_depth,
                     c.max_inline, row.address.empty() ? row.address_format : row.address);
}

// Rows of one group are alike: the first stands for all unless --all is given.
std::vector<DeviceRow> collapse(const std::vector<DeviceRow>& rows) {
  std::map<std::string, int> more;
  for (const DeviceRow& row : rows)
    if (row.group) ++more[*row.group];
  std::vector<DeviceRow> result;
  std::set<std::string> shown;
  for (DeviceRow row : rows) {
    if (row.group && !shown.insert(*row.group).second) continue;
    if (row.group && more[*row.group] > 1)
      row.note += fmt::format("{}{} more alike (--all)", row.note.empty() ? "" : "; ",
                              more[*row.group] - 1);
    result.push_back(std::move(row));
  }
  return result;
}

std::string as_table(const std::vector<DeviceRow>& rows, bool all) {
  std::string usable;
  std::string unusable;
  std::string best;
  for (const DeviceRow& row : rows) {
    if (!row.usable) {
      unusable += fmt::format("{:<32} {}\n", row.transport, row.note);
      continue;
    }
    if (best.empty() && !row.capabilities.same_host_only) best = row.transport;
    usable += usable_line(row);
    if (all) usable += detail_line(row);
  }
  std::string text = fmt::format("# {:<30} {:>9}  {:<5}  {:<4}  {}\n{}", "transport", "link",
                                 "state", "NUMA", "note", usable);
  if (!unusable.empty()) text += "# not usable:\n" + unusable;
  if (const char* provider = std::getenv("FI_PROVIDER"))
    text +=
        fmt::format("# FI_PROVIDER={} is set and hides libfabric's other providers\n", provider);
  if (!best.empty())
    text += fmt::format(
        "# next: on the other host  pairbench serve\n#       here               pairbench run "
        "OTHER -t {}\n",
        best);
  return text;
}

}  // namespace

Command add_devices_command(CLI::App& app) {
  CLI::App* sub =
      app.add_subcommand("devices", "What can be measured on this host, and what not, and why");
  auto arguments = std::make_shared<DevicesArguments>();
  sub->add_flag("--json", arguments->json, "One JSON document");
  sub->add_flag("--all", arguments->all, "Every device, with its limits");
  return {sub, [=] {
            const auto rows = list_devices();
            print_out(arguments->json
                          ? as_json(rows)
                          : as_table(arguments->all ? rows : collapse(rows), arguments->all));
            return 0;
          }};
}

}  // namespace pairbench
