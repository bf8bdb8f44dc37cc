#include "harness/inproc_peer.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "control/socket.h"

namespace pairbench {
namespace {

// In how many threads' tables a descriptor is.
int tables_with(int descriptor) {
  int count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    const auto there = task.path() / "fd" / std::to_string(descriptor);
    count += std::filesystem::exists(std::filesystem::symlink_status(there)) ? 1 : 0;
  }
  return count;
}

TEST(InprocPeer, HasDescriptorsOfItsOwn) {
  InprocPeer peer;
  const auto channel = peer.take_channel();
  const Fd opened_later(open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(tables_with(opened_later.get()), 1);
}

}  // namespace
}  // namespace pairbench
