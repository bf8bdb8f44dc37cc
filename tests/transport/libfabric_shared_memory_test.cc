#include <gtest/gtest.h>

#include "base/error.h"
#include "transport/libfabric/shared_memory.h"

namespace pairbench::libfabric {
namespace {

TEST(SharedMemory, TooLittleNamesNeededAndFreeBytes) {
  // A file system without room.
  const auto shortage = shared_memory_shortage("/proc");
  ASSERT_TRUE(shortage);
  EXPECT_NE(shortage->find("/proc has 0 bytes free"), std::string::npos) << *shortage;
  EXPECT_NE(shortage->find("16777216 bytes need"), std::string::npos) << *shortage;
  try {
    require_shared_memory("/proc");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().status, ExitStatus::no_device);
    EXPECT_EQ(error.failure().phase, Phase::device);
    EXPECT_NE(error.failure().cause.find("33554432"), std::string::npos);
    EXPECT_FALSE(error.failure().hint.empty());
  }
}

TEST(SharedMemory, AMissingFolderIsNamed) {
  EXPECT_EQ(shared_memory_shortage("/no/such/folder"),
            "/no/such/folder: No such file or directory");
}

TEST(SharedMemory, AttachIsEitherAvailableOrBarredWithAReason) {
  const std::string got = cross_memory_attach();
  EXPECT_TRUE(got == "available" || got.starts_with("barred (")) << got;
}

}  // namespace
}  // namespace pairbench::libfabric
