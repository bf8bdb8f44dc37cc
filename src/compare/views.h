// What a person and what a program reads of comparisons.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "compare/compare.h"
#include "compare/regression.h"

namespace pairbench {

// Whole lines: first what is compared and the overall ratios, then one line a size, as the tables
// of a run are; then what differs. `verbose` shows every difference.
std::string render_comparison(const TransportComparison& comparison, bool verbose);
// What is compared and the overall ratios alone; empty where there is none.
std::string render_overall(const TransportComparison& comparison);
// One line: "REGRESSION beyond 5%: pingpong p50 64 (exit 3)".
std::string render_regression(const Regression& regression, double limit);

// What results/schema.json states of comparisons: one comparison, all of them as a document, and
// what
// --fail-over adds to it as `fail_over`.
nlohmann::ordered_json comparison_json(const TransportComparison& comparison);
nlohmann::ordered_json comparisons_json(std::span<const TransportComparison> comparisons);
nlohmann::ordered_json regression_json(const Regression& regression, double limit);

}  // namespace pairbench
