// Files in shared memory whose process was killed before it could remove them. Of this process's
// one session; in a build without libfabric there are none. Any thread may call any function.
#pragma once

#include <optional>

#include "base/host_facts.h"

namespace pairbench {

// Whose they will be if the peer is lost, when it is on this host. `process` is what it said of
// itself.
void remember_peer_process(const HostFacts& here, const HostFacts& there,
                           std::optional<int> process);

// When the session has ended early: the peer's, unless it lives.
void remove_leftovers_of_peer();

// Of a process that has ended, or of this one when it ends without closing its endpoints.
void remove_leftovers_of(int process);

}  // namespace pairbench
