#include "harness/inproc_peer.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/descriptor_tables.h"
#include "control/socket.h"

namespace pairbench {
namespace {

TEST(InprocPeer, HasDescriptorsOfItsOwn) {
  if (!own_descriptors_are_possible()) GTEST_SKIP() << "unshare(CLONE_FILES) is refused here";
  InprocPeer peer;
  const auto channel = peer.take_channel();
  const Fd opened_later(open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(tables_with(opened_later.get()), 1);
}

}  // namespace
}  // namespace pairbench
