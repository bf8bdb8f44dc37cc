#include "workload/checkpoints.h"

#include <gtest/gtest.h>

#include <array>

namespace pairbench {
namespace {

TEST(Checkpoints, KeepsEveryCountWhileThereIsRoom) {
  std::array<Checkpoint, 8> storage;
  Checkpoints stamps(storage);
  stamps.clear();
  for (std::uint64_t n = 1; n <= 8; ++n) {
    ASSERT_TRUE(stamps.due(n));
    stamps.add(100 * n, n);
  }
  EXPECT_EQ(stamps.all().size(), 8u);
  EXPECT_EQ(stamps.stride(), 1u);
}

TEST(Checkpoints, ThinsOutWithinItsStorageAndKeepsTheFirst) {
  std::array<Checkpoint, 8> storage;
  Checkpoints stamps(storage);
  stamps.clear();
  for (std::uint64_t n = 1; n <= 10'000; ++n)
    if (stamps.due(n)) stamps.add(100 * n, n);
  const auto all = stamps.all();
  ASSERT_GE(all.size(), 4u);
  ASSERT_LE(all.size(), 8u);
  EXPECT_EQ(all.front(), (Checkpoint{100, 1}));
  EXPECT_GT(all.back().messages, 10'000 - 2 * stamps.stride());
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_EQ(all[i].at, 100 * all[i].messages);
    EXPECT_LE(all[i].messages - all[i - 1].messages, stamps.stride());
  }
}

}  // namespace
}  // namespace pairbench
