#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "transport/libfabric/info.h"
#include "transport/libfabric/listing.h"
#include "transport/scratch_folder.h"

namespace pairbench::libfabric {
namespace {

TEST(LibfabricListing, ListsLoopbackAsSoftware) {
  if (!query("tcp")) GTEST_SKIP() << "libfabric offers no tcp provider here";
  const auto rows = list_devices();
  const auto row = std::ranges::find(rows, "libfabric:tcp/lo", &DeviceRow::transport);
  ASSERT_NE(row, rows.end());
  EXPECT_TRUE(row->usable);
  EXPECT_EQ(row->state, "up");
  EXPECT_NE(row->note.find("software"), std::string::npos);
  EXPECT_EQ(row->endpoint_type, "FI_EP_RDM");
  EXPECT_FALSE(row->address.empty());
  EXPECT_TRUE(row->capabilities.software);
}

TEST(LibfabricListing, NamesEachDomainOnceAndUsableOnesFirst) {
  const auto rows = list_devices();
  std::set<std::string> names;
  for (const DeviceRow& row : rows)
    EXPECT_TRUE(names.insert(row.transport).second) << row.transport;
  EXPECT_TRUE(std::ranges::is_partitioned(rows, &DeviceRow::usable));
}

TEST(LibfabricListing, EveryRowHasANote) {
  for (const DeviceRow& row : list_devices()) EXPECT_FALSE(row.note.empty()) << row.transport;
}

TEST(LibfabricListing, AnEfaDeviceThatCannotBeOpenedIsSaid) {
  if (query("efa")) GTEST_SKIP() << "there is an EFA device that can be opened";
  const ScratchFolder sysfs;
  sysfs.write("class/infiniband/rdmap79s0/device/vendor", "0x1d0f\n");
  const auto rows = list_devices(sysfs.path());
  const auto row = std::ranges::find(rows, "libfabric:efa", &DeviceRow::transport);
  ASSERT_NE(row, rows.end());
  EXPECT_FALSE(row->usable);
  EXPECT_NE(row->note.find("/dev/infiniband"), std::string::npos);
}

}  // namespace
}  // namespace pairbench::libfabric
