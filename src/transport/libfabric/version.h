// The libfabric that we were built against and the one that runs: they may differ, since 1.x
// and 2.x share a soname.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace pairbench::libfabric {

struct LibraryVersion {
  std::uint32_t built = 0;    // as FI_VERSION packs it
  std::uint32_t running = 0;  // fi_version()
  std::string path;           // of the loaded library; empty where unknown
};

LibraryVersion library_version();

// The API version to ask for: the older of the two (a newer request than the library gives
// -FI_ENOSYS).
std::uint32_t api_version();

// "1.17"
std::string version_text(std::uint32_t version);

// "1.17 (built against 2.1, /opt/amazon/efa/lib/libfabric.so.1)"
std::string describe(const LibraryVersion& version);

// What a person should know about the pair; nothing when they are equal.
std::optional<std::string> version_warning(const LibraryVersion& version);

// Throws Error(no_device, device) when the running library is older than 1.17, the oldest
// supported.
void require_supported(const LibraryVersion& version);

}  // namespace pairbench::libfabric
