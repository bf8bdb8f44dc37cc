#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <set>

#include "transport/libfabric/leftovers.h"
#include "transport/scratch_folder.h"

namespace pairbench::libfabric {
namespace {

std::set<std::string> names_in(const ScratchFolder& folder) {
  std::set<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(folder.path()))
    names.insert(file.path().filename().string());
  return names;
}

TEST(Leftovers, OfAProcessGoAndNoOthers) {
  const ScratchFolder folder;
  for (const char* name : {"123:0:0", "123:0:1", "1234:0:0", "23:0:0", "fi_mine"})
    folder.write(name, "x");
  remove_leftovers_of(123, folder.path());
  EXPECT_EQ(names_in(folder), (std::set<std::string>{"1234:0:0", "23:0:0", "fi_mine"}));
  remove_leftovers_of(123, "/no/such/folder");
}

TEST(Leftovers, OfAProcessThatDiedWhileItOpenedAnEfaEndpoint) {
  const ScratchFolder folder;
  const auto segment = [](std::int32_t process) {
    std::string header(4096, '\0');
    std::memcpy(&header[4], &process, sizeof process);
    return header;
  };
  folder.write("fe80::1_00ff_0000abcd_0000", segment(123));
  folder.write("fe80::1_00fe_0000abcd_0000", segment(124));
  folder.write("fe80::1_00fd_0000abcd_0000", "");
  folder.write("other", segment(123));
  remove_leftovers_of(123, folder.path());
  EXPECT_EQ(names_in(folder), (std::set<std::string>{"fe80::1_00fe_0000abcd_0000",
                                                     "fe80::1_00fd_0000abcd_0000", "other"}));
}

TEST(Leftovers, OfAnEfaEndpointGoByItsAddress) {
  const ScratchFolder folder;
  for (const char* name : {"fe80::1_00ff_0000abcd_0000", "fe80::1_00fe_0000abcd_0000", "fe80::1"})
    folder.write(name, "x");
  AddressBlob address(32);
  address[0] = std::byte{0xfe};
  address[1] = std::byte{0x80};
  address[15] = std::byte{1};
  address[16] = std::byte{0xff};  // the host's order, as the provider writes it
  address[20] = std::byte{0xcd};
  address[21] = std::byte{0xab};
  remove_efa_segment(address, folder.path());
  EXPECT_EQ(names_in(folder), (std::set<std::string>{"fe80::1_00fe_0000abcd_0000", "fe80::1"}));
}

TEST(Leftovers, AnAddressThatIsTooShortRemovesNothing) {
  const ScratchFolder folder;
  folder.write("::_0000_00000000_", "x");
  remove_efa_segment(AddressBlob(23), folder.path());
  EXPECT_EQ(names_in(folder).size(), 1u);
}

}  // namespace
}  // namespace pairbench::libfabric
