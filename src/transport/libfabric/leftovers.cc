#include "transport/libfabric/leftovers.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace pairbench::libfabric {
namespace {

void remove_files(const std::string& prefix, const std::string& folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    std::error_code ignored;  // another user's: then the provider says what it cannot do
    if (file->path().filename().string().starts_with(prefix))
      std::filesystem::remove(file->path(), ignored);
  }
}

}  // namespace

void remove_leftovers_of(int process, const std::string& folder) {
  remove_files(fmt::format("{}:", process), folder);  // see smr_name in the provider
}

// struct efa_ep_addr: a GID of 16 bytes, the queue pair's number (2), padding (2), the key (4). The
// name is that of 1.17's efa_shm_ep_name_construct.
void remove_efa_segment(const AddressBlob& address, const std::string& folder) {
  constexpr std::size_t kNumberAt = 16;
  constexpr std::size_t kKeyAt = 20;
  std::uint16_t number = 0;
  std::uint32_t key = 0;
  if (address.size() < kKeyAt + sizeof key) return;
  std::memcpy(&number, &address[kNumberAt], sizeof number);
  std::memcpy(&key, &address[kKeyAt], sizeof key);
  std::array<char, INET6_ADDRSTRLEN> gid{};
  inet_ntop(AF_INET6, address.data(), gid.data(), gid.size());
  remove_files(fmt::format("{}_{:04x}_{:08x}_", gid.data(), number, key), folder);
}

}  // namespace pairbench::libfabric
