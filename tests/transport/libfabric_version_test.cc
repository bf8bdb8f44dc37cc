#include <gtest/gtest.h>
#include <rdma/fabric.h>

#include "base/error.h"
#include "transport/libfabric/version.h"

namespace pairbench::libfabric {
namespace {

TEST(LibfabricVersion, OfThisProcess) {
  const LibraryVersion version = library_version();
  EXPECT_EQ(version.running, fi_version());
  EXPECT_NE(version.path.find("libfabric"), std::string::npos);
  EXPECT_LE(api_version(), version.running);
  EXPECT_LE(api_version(), version.built);
  EXPECT_NO_THROW(require_supported(version));
}

TEST(LibfabricVersion, EqualOnesNeedNoWarning) {
  EXPECT_EQ(version_warning({FI_VERSION(1, 17), FI_VERSION(1, 17), "/lib/x"}), std::nullopt);
}

TEST(LibfabricVersion, DifferentOnesAreNamedWithThePath) {
  const auto warning =
      version_warning({FI_VERSION(1, 17), FI_VERSION(2, 1), "/opt/x/libfabric.so"});
  ASSERT_TRUE(warning);
  EXPECT_NE(warning->find("2.1"), std::string::npos);
  EXPECT_NE(warning->find("1.17"), std::string::npos);
  EXPECT_NE(warning->find("/opt/x/libfabric.so"), std::string::npos);
}

TEST(LibfabricVersion, AnOldLibraryIsRefused) {
  try {
    require_supported({FI_VERSION(1, 17), FI_VERSION(1, 5), ""});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().status, ExitStatus::no_device);
    EXPECT_NE(std::string(error.what()).find("1.5"), std::string::npos);
  }
}

}  // namespace
}  // namespace pairbench::libfabric
