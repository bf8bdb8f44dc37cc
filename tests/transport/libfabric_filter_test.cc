#include <gtest/gtest.h>

#include "transport/libfabric/filter.h"

namespace pairbench::libfabric {
namespace {

TEST(Hides, EveryProviderThatIsNotInTheList) {
  EXPECT_TRUE(hides("shm", "tcp"));
  EXPECT_TRUE(hides("shm,udp", "tcp"));
  EXPECT_FALSE(hides("shm,tcp", "tcp"));
  EXPECT_FALSE(hides("verbs;ofi_rxm", "verbs"));
  EXPECT_FALSE(hides("verbs", "verbs;ofi_rxm"));
  EXPECT_TRUE(hides("tcp_other", "tcp"));
}

TEST(Hides, TheProvidersAfterACircumflex) {
  EXPECT_TRUE(hides("^tcp", "tcp"));
  EXPECT_TRUE(hides("^shm,tcp", "tcp"));
  EXPECT_FALSE(hides("^shm,udp", "tcp"));
}

TEST(Hides, WhatItsLayerIs) {
  EXPECT_TRUE(hides("^ofi_rxm", "tcp;ofi_rxm"));
  EXPECT_FALSE(hides("^ofi_rxd", "tcp;ofi_rxm"));
}

TEST(Hides, NothingWhereItIsEmpty) {
  EXPECT_FALSE(hides("", "tcp"));
}

}  // namespace
}  // namespace pairbench::libfabric
