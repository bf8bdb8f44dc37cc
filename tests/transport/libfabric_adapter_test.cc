#include <gtest/gtest.h>

#include "transport/libfabric/adapter.h"
#include "transport/libfabric_fake_info.h"
#include "transport/scratch_folder.h"

namespace pairbench::libfabric {
namespace {

TEST(Adapter, ReadsANetworkInterface) {
  const ScratchFolder sysfs;
  sysfs.write("class/net/eth0/speed", "25000\n");
  sysfs.write("class/net/eth0/mtu", "9001\n");
  sysfs.write("class/net/eth0/operstate", "up\n");
  sysfs.write("class/net/eth0/device/numa_node", "1\n");
  const AdapterFacts got = read_adapter(*fake_info("tcp", "f", "eth0"), sysfs.path());
  EXPECT_EQ(got.name, "eth0");
  EXPECT_EQ(got.link_bits_per_second, 25'000'000'000u);
  EXPECT_EQ(got.mtu_bytes, 9001u);
  EXPECT_EQ(got.numa_node, 1);
  EXPECT_EQ(got.state, "up");
  EXPECT_TRUE(got.physical);
}

TEST(Adapter, UnknownStaysUnknown) {
  const ScratchFolder sysfs;
  sysfs.write("class/net/lo/speed", "-1\n");
  sysfs.write("class/net/lo/operstate", "unknown\n");
  const AdapterFacts got = read_adapter(*fake_info("tcp", "f", "lo"), sysfs.path());
  EXPECT_EQ(got.link_bits_per_second, std::nullopt);
  EXPECT_EQ(got.mtu_bytes, std::nullopt);
  EXPECT_EQ(got.numa_node, std::nullopt);
  EXPECT_EQ(got.state, "up");
  EXPECT_FALSE(got.physical);
}

TEST(Adapter, NoNumaNodeIsWrittenAsMinusOne) {
  const ScratchFolder sysfs;
  sysfs.write("class/net/eth0/device/numa_node", "-1\n");
  EXPECT_EQ(read_adapter(*fake_info("tcp", "f", "eth0"), sysfs.path()).numa_node, std::nullopt);
}

TEST(Adapter, ReadsAnRdmaDeviceAndItsBus) {
  const ScratchFolder sysfs;
  sysfs.write("bus/pci/devices/0000:4f:00.0/numa_node", "0\n");
  const InfoHandle info = fake_info("efa", "efa", "rdmap79s0-rdm");
  FakeNic nic("rdmap79s0");
  nic.link.speed = 100'000'000'000;
  nic.link.mtu = 8928;
  nic.link.state = FI_LINK_UP;
  nic.bus.bus_type = FI_BUS_PCI;
  nic.bus.attr.pci = {0, 0x4f, 0, 0};
  const WithNic lent(*info, nic);
  const AdapterFacts got = read_adapter(*info, sysfs.path());
  EXPECT_EQ(got.name, "rdmap79s0");
  EXPECT_EQ(got.link_bits_per_second, 100'000'000'000u);
  EXPECT_EQ(got.mtu_bytes, 8928u);
  EXPECT_EQ(got.numa_node, 0);
  EXPECT_EQ(got.state, "up");
  EXPECT_TRUE(got.physical);
}

TEST(Adapter, ASoftRdmaDeviceHasNoBus) {
  const ScratchFolder sysfs;
  sysfs.write("class/infiniband/rxe0/node_type", "1: CA\n");
  const InfoHandle info = fake_info("verbs;ofi_rxm", "f", "rxe0");
  FakeNic nic("rxe0");
  nic.link.state = FI_LINK_DOWN;
  const WithNic lent(*info, nic);
  const AdapterFacts got = read_adapter(*info, sysfs.path());
  EXPECT_FALSE(got.physical);
  EXPECT_EQ(got.state, "down");
}

}  // namespace
}  // namespace pairbench::libfabric
