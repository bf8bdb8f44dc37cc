#include "transport/libfabric/version.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <rdma/fabric.h>

#include <algorithm>

#include "base/error.h"

namespace pairbench::libfabric {
namespace {

constexpr std::uint32_t kBuilt = FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION);
constexpr std::uint32_t kOldest = FI_VERSION(1, 17);

std::string loaded_path() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&fi_version), &info) == 0 || info.dli_fname == nullptr)
    return {};
  return info.dli_fname;
}

}  // namespace

LibraryVersion library_version() {
  return {kBuilt, fi_version(), loaded_path()};
}

std::uint32_t api_version() {
  return std::min(kBuilt, fi_version());
}

std::string version_text(std::uint32_t version) {
  return fmt::format("{}.{}", FI_MAJOR(version), FI_MINOR(version));
}

std::string describe(const LibraryVersion& version) {
  return fmt::format("{} (built against {}{}{})", version_text(version.running),
                     version_text(version.built), version.path.empty() ? "" : ", ", version.path);
}

std::optional<std::string> version_warning(const LibraryVersion& version) {
  if (version.built == version.running) return std::nullopt;
  return fmt::format("libfabric {} runs, but pairbench was built against {}{}{}",
                     version_text(version.running), version_text(version.built),
                     version.path.empty() ? "" : ": ", version.path);
}

void require_supported(const LibraryVersion& version) {
  if (version.running >= kOldest) return;
  throw Error(ExitStatus::no_device, Phase::device,
              fmt::format("libfabric {} is too old: {} or later is needed",
                          version_text(version.running), version_text(kOldest)),
              version_warning(version).value_or(""),
              "look at LD_LIBRARY_PATH; EFA's installer puts its own under /opt/amazon/efa");
}

}  // namespace pairbench::libfabric
