#include "harness/ids.h"

#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "base/error.h"

namespace pairbench {
namespace {

TEST(Ids, UuidsAreVersionFourAndDiffer) {
  const std::regex form("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}");
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string id = make_uuid();
    EXPECT_TRUE(std::regex_match(id, form)) << id;
    seen.insert(id);
  }
  EXPECT_EQ(seen.size(), 100u);
}

TEST(Ids, HexRoundTrips) {
  const auto bytes = random_bytes(32);
  EXPECT_EQ(from_hex(to_hex(bytes)), bytes);
  EXPECT_EQ(to_hex({std::byte{0}, std::byte{0xff}}), "00ff");
  EXPECT_THROW(from_hex("0x"), Error);
  EXPECT_THROW(from_hex("AB"), Error);
}

TEST(Ids, TimeIsRfc3339) {
  EXPECT_TRUE(
      std::regex_match(now_rfc3339(), std::regex("\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z")));
}

}  // namespace
}  // namespace pairbench
