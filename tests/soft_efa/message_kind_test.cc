#include "soft_efa/message_kind.h"

#include <gtest/gtest.h>

#include <array>

namespace pairbench::soft_efa {
namespace {

std::optional<Counter> kind_of_header(unsigned type, unsigned version) {
  const std::array header{std::byte(type), std::byte(version), std::byte{0}, std::byte{0}};
  return kind_of(header);
}

TEST(MessageKind, TaggedOrNotIsOneKind) {
  for (const unsigned tagged : {0u, 1u}) {
    EXPECT_EQ(kind_of_header(64 + tagged, 4), Counter::eager);
    EXPECT_EQ(kind_of_header(66 + tagged, 4), Counter::medium);
    EXPECT_EQ(kind_of_header(68 + tagged, 4), Counter::long_cts);
    EXPECT_EQ(kind_of_header(128 + tagged, 4), Counter::long_read);
  }
}

TEST(MessageKind, WhatIsNoneOfThem) {
  EXPECT_EQ(kind_of_header(10, 4), std::nullopt);
  EXPECT_EQ(kind_of_header(64, 3), std::nullopt);
  EXPECT_EQ(kind_of({}), std::nullopt);
  const std::array too_short{std::byte{64}, std::byte{4}};
  EXPECT_EQ(kind_of(too_short), std::nullopt);
}

}  // namespace
}  // namespace pairbench::soft_efa
