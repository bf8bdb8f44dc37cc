// What stands below a table: what is missing, what was changed, what to doubt.
#pragma once

#include <string>

#include "report/document.h"

namespace pairbench {

inline constexpr std::size_t kColumns = 100;

// "# TEXT", broken at blanks into lines of at most 100 columns; further ones are indented.
std::string comment(std::string_view text);

// Comment lines: incomplete runs and why, one host, one repeat, checked payloads, adjustments,
// (verbose) models of latency, first messages, cases that were skipped, failed or not run, and
// warnings (three at most unless verbose).
std::string render_notes(const ResultDocument& document, bool verbose);

}  // namespace pairbench
