// What the peer says of itself and of its machine. Most of it this end cannot know; what no host
// can have is refused, so that nothing computes with it and no result holds it.
#pragma once

#include <optional>

#include "base/detours.h"
#include "control/messages.h"
#include "plan/end_counters.h"

namespace pairbench {

// These throw ProtocolError with the member that cannot be.
void require_possible(const wire::HelloReply& reply);
void require_possible(const std::optional<Detours>& detours);
void require_possible(const EndCounters& counters);

}  // namespace pairbench
