#include "transport/libfabric/shared_memory.h"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.h"

namespace pairbench::libfabric {
namespace {

std::optional<std::string> shortage(const std::string& folder, std::uint64_t endpoints) {
  const std::uint64_t needed = endpoints * kSharedMemoryRegionBytes;
  struct statvfs stats {};
  if (statvfs(folder.c_str(), &stats) != 0)
    return fmt::format("{}: {}", folder, std::strerror(errno));
  const std::uint64_t free = std::uint64_t{stats.f_bavail} * stats.f_frsize;
  if (free >= needed) return std::nullopt;
  return fmt::format("{} has {} bytes free; {} endpoints of {} bytes need {} bytes", folder, free,
                     endpoints, kSharedMemoryRegionBytes, needed);
}

}  // namespace

void require_shared_memory(const std::string& folder) {
  if (const auto cause = shortage(folder, 2))
    throw Error(
        ExitStatus::no_device, Phase::device, "libfabric provider shm has too little shared memory",
        *cause,
        fmt::format("enlarge it (docker run --shm-size=256m, mount -o remount,size=256m {})",
                    folder));
}

std::optional<std::string> shared_memory_shortage(const std::string& folder) {
  const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  return shortage(folder, cpus > 2 ? static_cast<std::uint64_t>(cpus) : 2);
}

std::string cross_memory_attach() {
  char from = 'x';
  char to = 0;
  const iovec local{&to, 1};
  const iovec remote{&from, 1};
  if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1) return "available";
  return fmt::format("barred ({})", std::strerror(errno));
}

std::optional<std::string> ptrace_scope() {
  std::ifstream in("/proc/sys/kernel/yama/ptrace_scope");
  std::string scope;
  if (in >> scope) return scope;
  return std::nullopt;
}

}  // namespace pairbench::libfabric
