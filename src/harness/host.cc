#include "harness/host.h"

#include <fmt/core.h>

#include <string_view>

#ifdef PAIRBENCH_WITH_LIBFABRIC
#include "transport/libfabric/version.h"
#endif

namespace pairbench {

std::string tool_version() {
  return PAIRBENCH_VERSION;
}

HostFacts describe_this_host() {
  HostFacts facts = read_host_facts();
  constexpr std::string_view kGit = PAIRBENCH_GIT;
  facts.versions["pairbench"] =
      kGit.empty() ? tool_version() : fmt::format("{} (git {})", tool_version(), kGit);
#ifdef PAIRBENCH_WITH_LIBFABRIC
  facts.versions["libfabric"] = libfabric::describe(libfabric::library_version());
#endif
  return facts;
}

}  // namespace pairbench
