#include <gtest/gtest.h>

#include "transport/verbs/gid.h"

namespace pairbench::verbs {
namespace {

Gid gid(std::string_view ip) {
  return {0, gid_of_ip(ip), GidType::roce_v2};
}

TEST(VerbsGid, OfAnIpv4AddressIsMapped) {
  EXPECT_EQ(gid("10.0.0.1").text(), "::ffff:10.0.0.1");
  EXPECT_TRUE(gid("10.0.0.1").is_ipv4());
  EXPECT_EQ(gid_of_ip("::ffff:10.0.0.1"), gid_of_ip("10.0.0.1"));
}

TEST(VerbsGid, OfAnIpv6AddressIsTheAddress) {
  EXPECT_EQ(gid("fd00::1").text(), "fd00::1");
  EXPECT_FALSE(gid("fd00::1").is_ipv4());
  EXPECT_FALSE(gid("fd00::1").is_link_local());
  EXPECT_TRUE(gid("fe80::1%eth0").is_link_local());
  EXPECT_TRUE(gid("febf::1").is_link_local());
  EXPECT_FALSE(gid("fec0::1").is_link_local());
}

TEST(VerbsGid, OfNoAddressIsEmpty) {
  EXPECT_TRUE(gid("").is_empty());
  EXPECT_TRUE(gid("nodeB").is_empty());
  EXPECT_FALSE(gid("::1").is_empty());
}

}  // namespace
}  // namespace pairbench::verbs
