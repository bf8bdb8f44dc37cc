#include <gtest/gtest.h>

#include "transport/libfabric/capabilities.h"
#include "transport/libfabric_fake_info.h"

namespace pairbench::libfabric {
namespace {

TEST(LibfabricCapabilities, CarriesNamesAndLimits) {
  const InfoHandle info = fake_info("tcp;ofi_rxm", "10.9.0.0/24", "eth0");
  const Capabilities got = capabilities_of(*info, {});
  EXPECT_EQ(got.opened, "libfabric:tcp+ofi_rxm/eth0");
  EXPECT_EQ(got.provider, "tcp;ofi_rxm");
  EXPECT_EQ(got.fabric, "10.9.0.0/24");
  EXPECT_EQ(got.domain, "eth0");
  EXPECT_EQ(got.max_message_size, std::uint64_t{1} << 20);
  EXPECT_EQ(got.max_tx_depth, 2048u);
  EXPECT_EQ(got.max_rx_depth, 4096u);
  EXPECT_EQ(got.max_inline, 64u);
  EXPECT_FALSE(got.event_wait);
}

TEST(LibfabricCapabilities, NamesTheDirectFabricOfEfa) {
  const InfoHandle info = fake_info("efa", "efa-direct", "rdmap79s0-rdm");
  EXPECT_EQ(capabilities_of(*info, {}).opened, "libfabric:efa-direct/rdmap79s0-rdm");
  EXPECT_EQ(capabilities_of(*info, {}).provider, "efa");
}

TEST(LibfabricCapabilities, OrderComesFromTheTransmitAttributes) {
  const InfoHandle info = fake_info("tcp;ofi_rxm", "f", "d");
  EXPECT_FALSE(capabilities_of(*info, {}).completions_ordered);
  info->tx_attr->comp_order = 0x1ff;  // "strict"
  EXPECT_TRUE(capabilities_of(*info, {}).completions_ordered);
}

TEST(LibfabricCapabilities, FourBytesBesideThePayloadAreNeeded) {
  const InfoHandle info = fake_info("x", "f", "d");
  info->domain_attr->cq_data_size = 4;
  EXPECT_TRUE(capabilities_of(*info, {}).immediate);
  info->domain_attr->cq_data_size = 2;
  EXPECT_FALSE(capabilities_of(*info, {}).immediate);
}

TEST(LibfabricCapabilities, SendCompletionIsWhatTheProviderProves) {
  const auto completion = [](const char* provider, std::uint64_t op_flags) {
    const InfoHandle info = fake_info(provider, "f", "d");
    info->tx_attr->op_flags = op_flags;
    return capabilities_of(*info, {}).send_completion;
  };
  EXPECT_EQ(completion("tcp;ofi_rxm", 0), SendCompletion::reusable);
  EXPECT_EQ(completion("tcp", 0), SendCompletion::reusable);
  EXPECT_EQ(completion("shm", 0), SendCompletion::reusable);
  EXPECT_EQ(completion("efa", 0), SendCompletion::transmit);
  EXPECT_EQ(completion("efa", FI_DELIVERY_COMPLETE), SendCompletion::delivery);
  EXPECT_EQ(completion("efa", FI_INJECT_COMPLETE), SendCompletion::reusable);
}

TEST(LibfabricCapabilities, SoftwareIsWhereNoAdapterWorks) {
  AdapterFacts adapter;
  adapter.physical = true;
  EXPECT_FALSE(capabilities_of(*fake_info("efa", "efa", "d"), adapter).software);
  EXPECT_FALSE(capabilities_of(*fake_info("verbs;ofi_rxm", "f", "mlx5_0"), adapter).software);
  EXPECT_TRUE(capabilities_of(*fake_info("tcp;ofi_rxm", "f", "eth0"), adapter).software);
  EXPECT_TRUE(capabilities_of(*fake_info("verbs;ofi_rxm", "f", "rxe0"), {}).software);
}

TEST(LibfabricCapabilities, OnlySharedMemoryIsForOneHost) {
  EXPECT_TRUE(capabilities_of(*fake_info("shm", "shm", "shm"), {}).same_host_only);
  EXPECT_FALSE(capabilities_of(*fake_info("tcp", "f", "lo"), {}).same_host_only);
}

TEST(LibfabricCapabilities, TakesTheAdaptersFacts) {
  AdapterFacts adapter;
  adapter.name = "rdmap79s0";
  adapter.link_bits_per_second = 100'000'000'000;
  adapter.mtu_bytes = 8928;
  adapter.numa_node = 1;
  const Capabilities got = capabilities_of(*fake_info("efa", "efa", "rdmap79s0-rdm"), adapter);
  EXPECT_EQ(got.nic, "rdmap79s0");
  EXPECT_EQ(got.link_bits_per_second, 100'000'000'000u);
  EXPECT_EQ(got.mtu_bytes, 8928u);
  EXPECT_EQ(got.numa_node, 1);
}

TEST(LibfabricCapabilities, KeepsModesByTheirNames) {
  const InfoHandle info = fake_info("efa", "efa", "d");
  info->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR;
  info->mode = FI_CONTEXT2;
  const Capabilities got = capabilities_of(*info, {});
  EXPECT_NE(got.details.at("mr_mode").find("FI_MR_LOCAL"), std::string::npos);
  EXPECT_NE(got.details.at("mode").find("FI_CONTEXT2"), std::string::npos);
}

}  // namespace
}  // namespace pairbench::libfabric
