#include "base/resource_limits.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstdlib>

#include "base/system_files.h"

namespace pairbench {
namespace {

std::string present(__rlimit_resource resource, const char* name) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0) return name;
  if (limit.rlim_cur == RLIM_INFINITY) return fmt::format("{} unlimited", name);
  return fmt::format("{} {}", name, limit.rlim_cur);
}

}  // namespace

std::string limit_hint(int error) {
  const auto address_space = [] {
    return present(RLIMIT_AS, "bytes of address space (ulimit -v)");
  };
  switch (error) {
    case EMFILE:
      return "raise a limit: " + present(RLIMIT_NOFILE, "open files (ulimit -n)");
    case ENFILE:
      return "the whole host has too many files open: sysctl fs.file-max";
    case EAGAIN:
      return fmt::format("raise a limit: {}, {}; containers have one of their own (pids.max)",
                         present(RLIMIT_NPROC, "processes and threads (ulimit -u)"),
                         address_space());
    case ENOMEM:
      return fmt::format("free memory or raise a limit: {}, {}, {}",
                         present(RLIMIT_MEMLOCK, "bytes of locked memory (ulimit -l)"),
                         address_space(), present(RLIMIT_NOFILE, "open files (ulimit -n)"));
    default:
      return {};
  }
}

void require_open_files(const char* who, std::uint64_t needed) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  throw Error(ExitStatus::failed, Phase::connect,
              fmt::format("{} needs {} open files at least", who, needed),
              fmt::format("this process may have {}", limit.rlim_cur), limit_hint(EMFILE));
}

bool locks_any_memory() {
  constexpr unsigned kIpcLock = 14;  // CAP_IPC_LOCK, linux/capability.h
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY) return true;
  const auto status = read_text("/proc/self/status");
  const auto capabilities = status ? find_field(*status, "CapEff", ':') : std::nullopt;
  if (!capabilities) return false;
  return (std::strtoull(capabilities->c_str(), nullptr, 16) >> kIpcLock & 1u) != 0;
}

Failure failure_of(const std::system_error& error) {
  return {ExitStatus::failed,
          Phase::open,
          "the system refused what pairbench needs",
          "",
          error.what(),
          limit_hint(error.code().value())};
}

Failure out_of_memory() {
  return {ExitStatus::failed, Phase::open,
          "out of memory",    "",
          limit_hint(ENOMEM), "measure smaller sizes or a smaller --window"};
}

}  // namespace pairbench
