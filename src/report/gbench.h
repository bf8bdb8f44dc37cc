// The document in the shape of Google Benchmark's JSON, for tools that read that: one entry a
// repeat and, with several repeats, one aggregate "median" a case. real_time is nanoseconds: a
// ping-pong's median round trip, a stream's mean time a message. The measuring thread spins, so
// cpu_time, which such tools demand, repeats real_time. What was not measured has no entry.
#pragma once

#include <string>

#include "report/document.h"

namespace pairbench {

std::string render_gbench(const ResultDocument& document);

}  // namespace pairbench
