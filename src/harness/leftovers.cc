#include "harness/leftovers.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <string>

#include "base/system_files.h"
#ifdef PAIRBENCH_WITH_LIBFABRIC
#include "transport/libfabric/leftovers.h"
#endif

namespace pairbench {
namespace {

std::atomic<int> peer_process{0};

// A process that is killed loses its connections before it can be waited for, and is a zombie until
// then.
bool is_gone(int process) {
  constexpr unsigned kExiting = 4;  // PF_EXITING, linux/sched.h
  const auto text = read_text(fmt::format("/proc/{}/stat", process));
  const std::size_t name_end = text ? text->rfind(')') : std::string::npos;
  if (name_end == std::string::npos) return true;
  char state = 0;
  unsigned flags = 0;
  // After the state: parent, group, session, terminal, its group, flags (proc(5)).
  const int found =
      std::sscanf(text->c_str() + name_end + 1, " %c %*d %*d %*d %*d %*d %u", &state, &flags);
  return found == 2 && (state == 'Z' || state == 'X' || (flags & kExiting) != 0);
}

}  // namespace

void remember_peer_process(const HostFacts& here, const HostFacts& there,
                           std::optional<int> process) {
  if (same_host(here, there)) peer_process = process.value_or(0);
}

void remove_leftovers_of_peer() {
  const int process = peer_process;
  if (process > 0 && is_gone(process)) remove_leftovers_of(process);
}

void remove_leftovers_of([[maybe_unused]] int process) {
#ifdef PAIRBENCH_WITH_LIBFABRIC
  libfabric::remove_leftovers_of(process);
#endif
}

}  // namespace pairbench
