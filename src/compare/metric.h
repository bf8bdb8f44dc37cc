// The figures by which two transports can be compared.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "report/document.h"
#include "stats/comparison.h"

namespace pairbench {

enum class Unit { ns, bytes_per_second, messages_per_second };
std::string_view to_string(Unit unit);

// One figure of a case, of all its repeats or of one alone.
struct Metric {
  std::string_view name;  // as the document calls it
  Unit unit;
  bool half_is_one_way;  // of a round trip: half of it is one way's; never so of a tail
  std::optional<Estimate> (*of)(const CaseSummary&);

  Better better() const { return unit == Unit::ns ? Better::lower : Better::higher; }
  bool belongs_to(Test test) const { return (unit == Unit::ns) == (test == Test::pingpong); }
};

// What verdicts are given on unless others are named: p50 and delivered_bytes_per_second.
std::vector<const Metric*> default_metrics();

// "p99,delivered_bytes_per_second"; throws a usage Error that lists the names.
std::vector<const Metric*> parse_metrics(std::string_view text);

}  // namespace pairbench
