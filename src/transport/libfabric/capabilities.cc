#include "transport/libfabric/capabilities.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "transport/libfabric/info.h"
#include "transport/libfabric/version.h"

namespace pairbench::libfabric {
namespace {

std::string core_provider(const fi_info& info) {
  const std::string name = text_or_empty(info.fabric_attr->prov_name);
  return name.substr(0, name.find(';'));
}

// As scripts/soft-efa's device calls its firmware.
bool is_soft_efa(const fid_nic* nic) {
  return nic != nullptr && nic->device_attr != nullptr &&
         text_or_empty(nic->device_attr->firmware) == "soft-efa";
}

// Providers that move the bytes with the CPU. A device may be software too (rxe, siw, soft EFA).
bool is_software(const std::string& core, const AdapterFacts& adapter, const fid_nic* nic) {
  constexpr std::array kSoftware{"tcp", "net", "sockets", "udp", "shm", "sm2"};
  return std::ranges::find(kSoftware, core) != kSoftware.end() || !adapter.physical ||
         is_soft_efa(nic);
}

// fi_cq(3), completion levels: a reliable endpoint's default is transmit complete. The providers
// over the kernel's sockets report when the kernel has the bytes, and shm when its copy is made.
SendCompletion send_completion_of(const fi_info& info, const std::string& core) {
  const std::uint64_t asked = info.tx_attr->op_flags;
  if (asked & FI_DELIVERY_COMPLETE) return SendCompletion::delivery;
  if (asked & FI_INJECT_COMPLETE) return SendCompletion::reusable;
  constexpr std::array kHandedOver{"tcp", "net", "sockets", "shm", "sm2"};
  const bool handed_over = std::ranges::find(kHandedOver, core) != kHandedOver.end();
  return handed_over ? SendCompletion::reusable : SendCompletion::transmit;
}

std::string device_text(const fid_nic& nic) {
  if (nic.device_attr == nullptr) return {};
  const fi_device_attr& device = *nic.device_attr;
  return fmt::format("vendor {} device {} version {} driver {} firmware {}",
                     text_or_empty(device.vendor_id), text_or_empty(device.device_id),
                     text_or_empty(device.device_version), text_or_empty(device.driver),
                     text_or_empty(device.firmware));
}

std::map<std::string, std::string> details_of(const fi_info& info) {
  std::map<std::string, std::string> details;
  details["libfabric"] = version_text(api_version());
  details["provider_version"] = version_text(info.fabric_attr->prov_version);
  details["protocol"] = text_of(&info.ep_attr->protocol, FI_TYPE_PROTOCOL);
  details["mr_mode"] = text_of(&info.domain_attr->mr_mode, FI_TYPE_MR_MODE);
  details["mode"] = text_of(&info.mode, FI_TYPE_MODE);
  details["threading"] = text_of(&info.domain_attr->threading, FI_TYPE_THREADING);
  details["data_progress"] = text_of(&info.domain_attr->data_progress, FI_TYPE_PROGRESS);
  details["message_order"] = text_of(&info.tx_attr->msg_order, FI_TYPE_MSG_ORDER);
  details["address_format"] = text_of(&info.addr_format, FI_TYPE_ADDR_FORMAT);
  details["cq_data_size"] = fmt::format("{}", info.domain_attr->cq_data_size);
  const std::string ip = ip_text(info.addr_format, info.src_addr, info.src_addrlen);
  if (!ip.empty()) details["address"] = ip;
  if (info.nic != nullptr) details["device"] = device_text(*info.nic);
  return details;
}

}  // namespace

std::string provider_name_of(const fi_info& info) {
  Candidate candidate;
  candidate.provider = text_or_empty(info.fabric_attr->prov_name);
  candidate.fabric = text_or_empty(info.fabric_attr->name);
  return provider_name(candidate);
}

std::string transport_text(const fi_info& info) {
  return fmt::format("libfabric:{}/{}", printed(provider_name_of(info)),
                     text_or_empty(info.domain_attr->name));
}

Capabilities capabilities_of(const fi_info& info, const AdapterFacts& adapter) {
  const std::string core = core_provider(info);
  Capabilities result;
  result.opened = transport_text(info);
  result.provider = text_or_empty(info.fabric_attr->prov_name);
  result.fabric = text_or_empty(info.fabric_attr->name);
  result.domain = text_or_empty(info.domain_attr->name);
  result.nic = adapter.name;
  result.numa_node = adapter.numa_node;
  result.link_bits_per_second = adapter.link_bits_per_second;
  result.mtu_bytes = adapter.mtu_bytes;
  result.max_message_size = info.ep_attr->max_msg_size;
  result.max_tx_depth = info.tx_attr->size;
  result.max_rx_depth = info.rx_attr->size;
  result.max_inline = info.tx_attr->inject_size;
  result.completions_ordered = info.tx_attr->comp_order != 0;  // 0 is "none" in every version
  result.immediate = info.domain_attr->cq_data_size >= sizeof(std::uint32_t);
  result.same_host_only = core == "shm" || core == "sm2";
  result.software = is_software(core, adapter, info.nic);
  result.send_completion = send_completion_of(info, core);
  result.details = details_of(info);
  return result;
}

}  // namespace pairbench::libfabric
