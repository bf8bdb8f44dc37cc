#include "harness/device_registry.h"

#include "base/error.h"

namespace pairbench {
namespace {

[[noreturn]] void not_built(const TransportSpec& spec, const char* library) {
  throw Error(ExitStatus::no_device, Phase::device,
              spec.label + ": this pairbench was built without " + library, "",
              "install the library's development package and build again");
}

}  // namespace

std::unique_ptr<TransportDevice> open_device(
    const TransportSpec& spec, [[maybe_unused]] Role role,
    [[maybe_unused]] const std::optional<std::string>& local_ip) {
  switch (spec.kind) {
    case TransportKind::inproc:
      return open_inproc_device();
    case TransportKind::libfabric:
#ifdef PAIRBENCH_WITH_LIBFABRIC
      return open_libfabric_device(spec, role, local_ip);
#else
      not_built(spec, "libfabric");
#endif
    case TransportKind::verbs:
#ifdef PAIRBENCH_WITH_VERBS
      return open_verbs_device(spec, role, local_ip);
#else
      not_built(spec, "libibverbs");
#endif
  }
  not_built(spec, "that transport");
}

}  // namespace pairbench
