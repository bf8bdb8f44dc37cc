#include <gtest/gtest.h>

#include "transport/verbs/address.h"

namespace pairbench::verbs {
namespace {

TEST(VerbsAddress, TravelsWhole) {
  Address address;
  address.lid = 0x1234;
  address.queue_pair = 0xabcdef;
  address.first_packet = 0x00ff01;
  address.mtu_bytes = 4096;
  for (std::size_t i = 0; i < address.gid.size(); ++i)
    address.gid[i] = static_cast<std::uint8_t>(0xf0 + i);
  EXPECT_EQ(from_blob(to_blob(address)), address);
}

TEST(VerbsAddress, KeepsTo24Bits) {
  Address address;
  address.queue_pair = 0xff123456;
  EXPECT_EQ(from_blob(to_blob(address))->queue_pair, 0x123456u);
}

TEST(VerbsAddress, OfAnotherLengthIsNone) {
  AddressBlob blob = to_blob({});
  blob.pop_back();
  EXPECT_EQ(from_blob(blob), std::nullopt);
  EXPECT_EQ(from_blob({}), std::nullopt);
}

}  // namespace
}  // namespace pairbench::verbs
