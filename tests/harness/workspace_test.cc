#include "harness/workspace.h"

#include <gtest/gtest.h>

namespace pairbench {
namespace {

TEST(Workspace, GrowsAndIsReused) {
  Workspace workspace;
  EXPECT_EQ(workspace.samples(1).size(), 1u);
  const auto big = workspace.samples(100'000);
  ASSERT_EQ(big.size(), 100'000u);
  big.back() = 7;
  EXPECT_EQ(workspace.samples(10).data(), big.data());
  EXPECT_EQ(workspace.checkpoints().size(), Workspace::kCheckpoints);
}

}  // namespace
}  // namespace pairbench
