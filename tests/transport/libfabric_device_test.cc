#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/error.h"
#include "transport/contains.h"
#include "transport/libfabric/device.h"
#include "transport/libfabric/info.h"

namespace pairbench::libfabric {
namespace {

Failure failure_of(const Request& request) {
  try {
    const Device device(request);
  } catch (const Error& error) {
    return error.failure();
  }
  ADD_FAILURE() << "opened";
  return {};
}

class LibfabricTcp : public testing::Test {
 protected:
  void SetUp() override {
    if (!query("tcp")) GTEST_SKIP() << "libfabric offers no tcp provider here";
  }
  const Request loopback_{.provider = "tcp", .local_ip = "127.0.0.1"};
};

TEST(LibfabricDevice, AMisspelledProviderIsNamedWithWhatThereIs) {
  const Failure failure = failure_of({.provider = "tpc"});
  EXPECT_EQ(failure.status, ExitStatus::no_device);
  EXPECT_EQ(failure.phase, Phase::device);
  EXPECT_TRUE(contains(failure.message, "tpc"));
  EXPECT_TRUE(contains(failure.cause, "FI_EP_RDM"));
  EXPECT_TRUE(contains(failure.cause, "FI_MSG"));
  EXPECT_TRUE(contains(failure.cause, "-61"));
  EXPECT_TRUE(contains(failure.hint, "available here"));
}

TEST(LibfabricDevice, NoEfaSaysWhereToLook) {
  if (query("efa")) GTEST_SKIP() << "there is an EFA device";
  EXPECT_TRUE(contains(failure_of({.provider = "efa"}).cause, "/dev/infiniband"));
  EXPECT_TRUE(contains(failure_of({.provider = "efa-direct"}).message, "efa-direct"));
}

TEST_F(LibfabricTcp, AnUnknownDomainIsNamedWithTheKnown) {
  const Failure failure = failure_of({.provider = "tcp", .domain = "nosuch0"});
  EXPECT_EQ(failure.status, ExitStatus::no_device);
  EXPECT_TRUE(contains(failure.message, "nosuch0"));
  EXPECT_TRUE(contains(failure.hint, "lo"));
}

// libfabric reads FI_PROVIDER at its first use, so this needs a process of its own.
TEST(LibfabricDeviceDeathTest, AHidingVariableIsTheCause) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto in_new_process = [] {
    setenv("FI_PROVIDER", "shm", 1);
    const Failure failure = failure_of({.provider = "tcp"});
    exit(contains(failure.cause, "FI_PROVIDER=shm hides provider tcp") ? 0 : 1);
  };
  EXPECT_EXIT(in_new_process(), testing::ExitedWithCode(0), "");
}

TEST_F(LibfabricTcp, SaysWhatItOpened) {
  const Device device(loopback_);
  EXPECT_EQ(device.capabilities().domain, "lo");
  EXPECT_TRUE(device.capabilities().opened.starts_with("libfabric:tcp"));
  EXPECT_EQ(device.capabilities().details.at("address"), "127.0.0.1");
  EXPECT_EQ(device.capabilities().details.at("threading"), "FI_THREAD_DOMAIN");  // without locks
  EXPECT_GE(device.capabilities().max_rx_depth, 1024u);
}

TEST_F(LibfabricTcp, RefusesDepthsItCannotGive) {
  const Device device(loopback_);
  const std::size_t most = device.capabilities().max_tx_depth;
  EXPECT_NO_THROW(device.make_endpoint({.tx_depth = most}));
  try {
    device.make_endpoint({.tx_depth = most + 1});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_TRUE(contains(error.what(), std::to_string(most + 1)));
    EXPECT_TRUE(contains(error.failure().cause, std::to_string(most)));
  }
  EXPECT_THROW(device.make_endpoint({.tx_depth = 0}), Error);
}

TEST_F(LibfabricTcp, EveryEndpointHasAnAddressOfItsOwn) {
  const Device device(loopback_);
  const Endpoint one = device.make_endpoint({});
  const Endpoint other = device.make_endpoint({});
  EXPECT_FALSE(one.address().empty());
  EXPECT_NE(one.address(), other.address());
}

TEST_F(LibfabricTcp, RefusesAnAddressThatIsNone) {
  const Device device(loopback_);
  Endpoint endpoint = device.make_endpoint({});
  for (const std::size_t size : {0, 1, 7, 400}) {
    try {
      endpoint.connect(AddressBlob(size, std::byte{0x41}));
      FAIL() << "no error for " << size << " bytes";
    } catch (const Error& error) {
      EXPECT_EQ(error.failure().status, ExitStatus::peer);
      EXPECT_EQ(error.failure().phase, Phase::open);
    }
  }
}

TEST(LibfabricShm, RefusesAnAddressWithoutAnEnd) {
  if (!query("shm")) GTEST_SKIP() << "libfabric offers no shm provider here";
  const Device device({.provider = "shm"});
  Endpoint endpoint = device.make_endpoint({});
  EXPECT_THROW(endpoint.connect(AddressBlob(16, std::byte{0x41})), Error);
  EXPECT_THROW(endpoint.connect({}), Error);
}

TEST(LibfabricShm, RecordsHowItCopies) {
  if (!query("shm")) GTEST_SKIP() << "libfabric offers no shm provider here";
  const Device device({.provider = "shm"});
  EXPECT_TRUE(device.capabilities().same_host_only);
  EXPECT_FALSE(device.capabilities().details.at("cross_memory_attach").empty());
}

TEST_F(LibfabricTcp, ASliceCoversItsRegion) {
  Device device(loopback_);
  const Buffer buffer(4096);
  const Region region = device.register_memory(buffer.bytes());
  EXPECT_EQ(region.local().data, buffer.bytes().data());
  EXPECT_EQ(region.local().size, buffer.bytes().size());
}

}  // namespace
}  // namespace pairbench::libfabric
