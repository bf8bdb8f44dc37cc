#include "harness/inproc_peer.h"

#include <gtest/gtest.h>

#include "base/descriptor_tables.h"

namespace pairbench {
namespace {

TEST(InprocPeer, HasDescriptorsOfItsOwn) {
  if (!own_descriptors_are_possible())
    GTEST_SKIP() << "unshare(CLONE_FILES) is refused, or ThreadSanitizer is here";
  const int before = threads_that_share();
  InprocPeer peer;
  const auto channel = peer.take_channel();
  EXPECT_EQ(threads_that_share(), before);
}

}  // namespace
}  // namespace pairbench
