#include "transport/libfabric/leftovers.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <system_error>

namespace pairbench::libfabric {
namespace {

namespace fs = std::filesystem;

void remove_files(const std::string& folder, const std::function<bool(const fs::path&)>& chosen) {
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    std::error_code ignored;  // another user's: then the provider says what it cannot do
    if (chosen(file->path())) fs::remove(file->path(), ignored);
  }
}

bool begins_with(const fs::path& path, const std::string& prefix) {
  return path.filename().string().starts_with(prefix);
}

// "fe80::1_00ff_0000abcd_0000": a segment whose header says which process made it (struct
// smr_region: version, flags, then the process, an int at byte 4).
bool is_efa_segment_of(int process, const fs::path& path) {
  const std::string name = path.filename().string();
  if (name.find(':') == std::string::npos || std::ranges::count(name, '_') != 3) return false;
  std::array<char, 8> header{};
  std::ifstream(path, std::ios::binary).read(header.data(), header.size());
  int maker = 0;
  std::memcpy(&maker, &header[4], sizeof maker);
  return maker == process;
}

}  // namespace

void remove_leftovers_of(int process, const std::string& folder) {
  const std::string prefix = fmt::format("{}:", process);  // see smr_name in the provider
  remove_files(folder, [&](const fs::path& path) {
    return begins_with(path, prefix) || is_efa_segment_of(process, path);
  });
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
  const std::string prefix = fmt::format("{}_{:04x}_{:08x}_", gid.data(), number, key);
  remove_files(folder, [&](const fs::path& path) { return begins_with(path, prefix); });
}

}  // namespace pairbench::libfabric
