#include "harness/host.h"

#include <fmt/core.h>

#ifdef PAIRBENCH_WITH_LIBFABRIC
#include "transport/libfabric/version.h"
#endif

namespace pairbench {

std::string tool_version() {
  return PAIRBENCH_VERSION;
}

HostFacts describe_this_host() {
  HostFacts facts = read_host_facts();
  facts.versions["pairbench"] = tool_version();
#ifdef PAIRBENCH_WITH_LIBFABRIC
  facts.versions["libfabric"] = libfabric::describe(libfabric::library_version());
#endif
  return facts;
}

}  // namespace pairbench
