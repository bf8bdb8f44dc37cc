#include "soft_efa/device.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "soft_efa/settings.h"

namespace pairbench::soft_efa {
namespace {

constexpr std::uint32_t kAmazon = 0x1d0f;
// The first device whose reads are on by default, and the one before.
constexpr std::uint32_t kPartWithReads = 0xefa2;
constexpr std::uint32_t kPartWithoutReads = 0xefa1;
constexpr std::uint32_t kMaxRdmaBytes = 1u << 30;
// As rdma-core 48 and later name them; older headers do not.
constexpr std::uint32_t kCapsRdmaWrite = 1u << 3;

template <std::size_t size>
void write_text(char (&field)[size], const std::string& text) {
  std::strncpy(field, text.c_str(), size - 1);
}

std::filesystem::path sysfs() {
  Dl_info library{};
  dladdr(reinterpret_cast<const void*>(&provide_sysfs), &library);
  return std::filesystem::path(library.dli_fname).parent_path() / "soft_efa_sysfs";
}

// FNV-1a (Fowler, Noll, Vo), 32 bits.
std::uint32_t hash_of(const std::string& text) {
  std::uint32_t hash = 2166136261;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return hash;
}

// fe80::HASH:INDEX
ibv_gid gid_of(const std::string& host, int index) {
  ibv_gid gid{};
  gid.raw[0] = 0xfe;
  gid.raw[1] = 0x80;
  const std::uint32_t hash = hash_of(host);
  for (unsigned i = 0; i < 4; ++i) gid.raw[8 + i] = static_cast<std::uint8_t>(hash >> (24 - 8 * i));
  gid.raw[15] = static_cast<std::uint8_t>(index + 1);
  return gid;
}

// Named as on an instance, after bus and slot.
Device make_device(int index) {
  Device device{};
  device.index = index;
  device.gid = gid_of(settings().host, index);
  device.node_type = IBV_NODE_UNSPECIFIED;
  device.transport_type = IBV_TRANSPORT_UNSPECIFIED;
  const std::string name = "rdmap0s" + std::to_string(index);
  const std::string verbs_name = "uverbs" + std::to_string(index);
  write_text(device.name, name);
  write_text(device.dev_name, verbs_name);
  write_text(device.dev_path, sysfs() / "class/infiniband_verbs" / verbs_name);
  write_text(device.ibdev_path, sysfs() / "class/infiniband" / name);
  return device;
}

std::vector<Device> make_devices() {
  std::vector<Device> all;
  for (unsigned i = 0; i < settings().devices; ++i) all.push_back(make_device(static_cast<int>(i)));
  return all;
}

__be64 guid_of(const Device& device) {
  return device.gid.global.interface_id;
}

}  // namespace

std::span<Device> devices() {
  static std::vector<Device>& all = *new std::vector<Device>(make_devices());
  return all;
}

ibv_device_attr device_attributes(const Device& device) {
  ibv_device_attr attributes{};
  write_text(attributes.fw_ver, "soft-efa");
  attributes.node_guid = attributes.sys_image_guid = guid_of(device);
  attributes.vendor_id = kAmazon;
  attributes.vendor_part_id = settings().rdma == Rdma::none ? kPartWithoutReads : kPartWithReads;
  attributes.hw_ver = attributes.vendor_part_id;
  attributes.max_mr_size = std::uint64_t{1} << 40;
  attributes.page_size_cap = 0xfffff000;
  attributes.max_qp = kMaxQueuePairs;
  attributes.max_qp_wr =
      static_cast<int>(std::max(settings().send_queue, settings().receive_queue));
  attributes.max_sge = attributes.max_sge_rd = kMaxPieces;
  attributes.max_cq = 1024;
  attributes.max_cqe = 65536;
  attributes.max_mr = kMaxRegions - 1;
  attributes.max_pd = 256;
  attributes.max_ah = kMaxAddressHandles;
  attributes.phys_port_cnt = 1;
  return attributes;
}

// 100 Gb/s: four lanes (2) of 25 Gb/s (32), in the units of InfiniBand's PortInfo; phys_state 5 is
// LinkUp there.
ibv_port_attr port_attributes() {
  ibv_port_attr attributes{};
  attributes.state = IBV_PORT_ACTIVE;
  attributes.max_mtu = attributes.active_mtu = IBV_MTU_4096;
  attributes.gid_tbl_len = 1;
  attributes.pkey_tbl_len = 1;
  attributes.max_msg_sz = settings().mtu_bytes;
  attributes.active_width = 2;
  attributes.active_speed = 32;
  attributes.phys_state = 5;
  attributes.link_layer = IBV_LINK_LAYER_UNSPECIFIED;
  return attributes;
}

efadv_device_attr efa_attributes() {
  const Settings& asked = settings();
  efadv_device_attr attributes{};
  attributes.max_sq_wr = asked.send_queue;
  attributes.max_rq_wr = asked.receive_queue;
  attributes.max_sq_sge = kMaxPieces;
  attributes.max_rq_sge = 1;
  attributes.inline_buf_size = static_cast<std::uint16_t>(asked.inline_bytes);
  attributes.max_rdma_size = kMaxRdmaBytes;
  attributes.device_caps = EFADV_DEVICE_ATTR_CAPS_RNR_RETRY | EFADV_DEVICE_ATTR_CAPS_CQ_WITH_SGID;
  if (asked.rdma != Rdma::none) attributes.device_caps |= EFADV_DEVICE_ATTR_CAPS_RDMA_READ;
  if (asked.rdma == Rdma::write) attributes.device_caps |= kCapsRdmaWrite;
#ifdef SOFT_EFA_UNSOLICITED_WRITES
  if (asked.rdma == Rdma::write)
    attributes.device_caps |= EFADV_DEVICE_ATTR_CAPS_UNSOLICITED_WRITE_RECV;
#endif
  return attributes;
}

void provide_sysfs() {
  setenv("SYSFS_PATH", sysfs().c_str(), /*overwrite=*/0);
}

}  // namespace pairbench::soft_efa
