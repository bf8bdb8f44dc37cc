// What a result says about its own quality: flags and a grade a case, sentences for the screen.
#pragma once

#include <string_view>

#include "report/document.h"

namespace pairbench {

// From what both ends counted, fills every measured case's `quality` and, anew, the document's
// `warnings`: one for each flag and end, gravest first, each a sentence with a remedy. Unreadable
// counters raise nothing. Flags:
//   grade C  FAILED, CHECKED, NO_STEADY, PROBE_5 (a stamp adds over 5 % to a round trip)
//   grade B  PROBE (over 1 %), NOT_CONVERGED, SHARED_CPU, INVOL_CSW (over 20 a second), PAGE_FAULT
//            (16 minor ones, or a major one), STEAL (over 1 % of the time), DETOUR (gaps over 1 us
//            take more than 0.5 %, or one takes a millisecond), FREQ_DRIFT (over 5 %), CLOCK_DRIFT
//            (over 1 ppm beyond its uncertainty), NUMA_REMOTE, UNPINNED, RNR, NET_RETRANS,
//            SOFTWARE_PROVIDER, ONE_HOST
void assess(ResultDocument& document);

// The grade that a flag alone gives; b for one that is not known.
Grade grade_of(std::string_view code);

}  // namespace pairbench
