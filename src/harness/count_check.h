// What the peer says it counted, held against what this end knows.
#pragma once

#include "control/messages.h"
#include "plan/end_counters.h"
#include "plan/plan.h"

namespace pairbench {

// The counts of messages and bytes alone.
EndCounters counters_of(const wire::BlockResult& block);

// Throws Error(failed, results) unless what either end sent has arrived at the other, of a block or
// of a whole case. `here` is the initiator.
void require_equal_counts(const EndCounters& here, const EndCounters& there,
                          const TransportPlan& transport);

// The interval is the peer's own account, of messages whose number both know. Throws ProtocolError.
void require_possible_interval(const wire::BlockResult& there, const Case& c);

}  // namespace pairbench
