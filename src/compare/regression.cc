#include "compare/regression.h"

#include <fmt/format.h>

#include "base/units.h"

namespace pairbench {
namespace {

// How the interval of a ratio lies to the limit.
enum class Place { within, astride, beyond };

Place place_of(const Comparison& comparison, Better better, double limit) {
  if (!comparison.interval) return Place::astride;
  const auto [low, high] = *comparison.interval;
  if (better == Better::lower)
    return low > 1 + limit ? Place::beyond : high > 1 + limit ? Place::astride : Place::within;
  return high < 1 - limit ? Place::beyond : low < 1 - limit ? Place::astride : Place::within;
}

std::string name_of(const Family& family, std::string_view what) {
  return fmt::format("{} {} {}", to_string(family.test), family.metric->name, what);
}

void look_at_overall(const Family& family, double limit, Regression& out) {
  if (!family.overall) return;
  const auto& [comparison, verdict] = *family.overall;
  if (verdict == Verdict::slower &&
      place_of(comparison, family.metric->better(), limit) == Place::beyond)
    out.found.push_back(name_of(family, "overall"));
}

void look_at_size(const Family& family, const SizeComparison& size, double limit, bool strict,
                  Regression& out) {
  const std::string name = name_of(family, format_size(size.size_bytes));
  if (!size.verdict) {
    out.undecided.push_back(name + ": " + size.reason);
    return;
  }
  ++out.tested;
  const Place place = place_of(*size.comparison, family.metric->better(), limit);
  if (size.verdict == Verdict::slower && place == Place::beyond) out.found.push_back(name);
  if (strict && size.verdict == Verdict::not_shown && place != Place::within)
    out.undecided.push_back(name + ": no difference shown, and the limit is not excluded");
}

}  // namespace

ExitStatus Regression::status() const {
  if (!found.empty()) return ExitStatus::regression;
  return undecided.empty() && tested > 0 ? ExitStatus::done : ExitStatus::undecidable;
}

Regression find_regression(std::span<const TransportComparison> comparisons, double limit,
                           bool strict) {
  Regression out;
  for (const TransportComparison& comparison : comparisons) {
    for (const Family& family : comparison.families) {
      look_at_overall(family, limit, out);
      for (const SizeComparison& size : family.sizes)
        look_at_size(family, size, limit, strict, out);
    }
    for (const Missing& missing : comparison.only_in_baseline)
      out.undecided.push_back(fmt::format("{} {}: only the baseline has it",
                                          to_string(missing.test),
                                          format_size(missing.size_bytes)));
  }
  return out;
}

}  // namespace pairbench
