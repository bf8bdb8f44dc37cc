// Which transports are held against which.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compare/compare.h"

namespace pairbench {

struct DocumentOfFile {
  const ResultDocument* document;
  std::string file;
};

using SidePair = std::pair<Side, Side>;  // baseline, candidate

// One document: the transport named `baseline` (the first where it is empty) and each of the
// others. Two, older first: each transport that both have, by name; where they share none and have
// one each, those two. Throws Error(usage) that lists the names where there is nothing to compare
// or no such baseline.
std::vector<SidePair> pairs_to_compare(std::span<const DocumentOfFile> documents,
                                       const std::string& baseline);

}  // namespace pairbench
