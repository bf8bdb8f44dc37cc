// What a transport's latency is made of, by its headline figures.
#pragma once

#include <string>
#include <vector>

#include "report/document.h"
#include "stats/hockney.h"

namespace pairbench {

struct LatencyModel {
  int transport = 0;
  std::vector<HockneyPiece> pieces;  // of one way: half the median round trip
};

// One for each transport whose ping-pong was measured at five sizes or more.
std::vector<LatencyModel> latency_models(const ResultDocument& document);

// Comment lines, one a piece: startup time, rate, half-rate size, and where protocols switch.
std::string render_models(const ResultDocument& document);

}  // namespace pairbench
