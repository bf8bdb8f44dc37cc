// The screen: comment lines that start with '#', then one line a size, fields apart by blanks, at
// most 100 columns for ordinary figures.
//
// Ping-pong, us:   size  p50  [low, high]  |  p50  p99  p99.9  max
//   left of '|' one way (RTT/2), right of it the round trip.
// Stream, Gb/s:    size  Gb/s  [low, high]  Mmsg/s  %link
// Bistream, Gb/s:  size  Gb/s  [low, high]  Mmsg/s  |  there  %link  back  %link
//   left of '|' both directions together, right of it initiator -> responder, then back.
#pragma once

#include <string>
#include <vector>

#include "report/document.h"

namespace pairbench {

// Each returns whole lines, the last newline included. With these four a run shows its table as it
// goes on: a header, then for every test its head and, with several transports, one label line and
// the rows for each.

// Who measured what with what: hosts, run, transports as they were opened, CPUs.
std::string render_header(const ResultDocument& document);
// The test's name, units and columns.
std::string render_test_head(const ResultDocument& document, Test test);
std::string render_label(const TransportResult& transport);
// One case whose summary is filled; '~' in front of a row that further repeats may change.
std::string render_row(const ResultDocument& document, const CaseResult& result,
                       bool provisional = false);

// All of it, with the notes of report/notes.h.
std::string render_table(const ResultDocument& document, bool verbose);

// The cases of one test and transport that have figures, by size.
std::vector<const CaseResult*> measured_cases(const ResultDocument& document, Test test,
                                              int transport);
inline constexpr Test kAllTests[] = {Test::pingpong, Test::stream, Test::bistream};

}  // namespace pairbench
