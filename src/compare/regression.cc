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
  const double bound = 1 / (1 + limit);
  return high < bound ? Place::beyond : low < bound ? Place::astride : Place::within;
}

// Whose family it is, where several transports are compared at once.
struct Named {
  const Family& family;
  std::string transport;  // "libfabric:tcp ", or empty

  std::string name(std::string_view what) const {
    return fmt::format("{}{} {} {}", transport, to_string(family.test), family.metric->name, what);
  }
};

void look_at_overall(const Named& named, double limit, Regression& out) {
  const Family& family = named.family;
  if (!family.overall) return;
  const Overall& overall = *family.overall;
  if (overall.verdict == Verdict::slower &&
      place_of(overall.comparison, family.metric->better(), limit) == Place::beyond)
    out.found.push_back(named.name("overall"));
}

void look_at_size(const Named& named, const SizeComparison& size, double limit, bool strict,
                  Regression& out) {
  const Family& family = named.family;
  const std::string name = named.name(format_size(size.size_bytes));
  if (!size.verdict) {
    out.undecided.push_back(name + ": " + size.reason);
    return;
  }
  ++out.tested;
  const Place place = place_of(*size.comparison, family.metric->better(), limit);
  if (size.verdict == Verdict::slower && place == Place::beyond) out.found.push_back(name);
  const bool open = size.verdict == Verdict::not_shown || size.verdict == Verdict::slower;
  if (strict && open && place == Place::astride)
    out.undecided.push_back(name + ": the interval does not exclude the limit");
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
    const std::string transport =
        comparisons.size() > 1 ? comparison.candidate.name() + " " : std::string();
    for (const Family& family : comparison.families) {
      const Named named{family, transport};
      look_at_overall(named, limit, out);
      for (const SizeComparison& size : family.sizes) look_at_size(named, size, limit, strict, out);
    }
    for (const Missing& missing : comparison.only_in_baseline)
      out.undecided.push_back(fmt::format("{}{} {}: only the baseline has it", transport,
                                          to_string(missing.test),
                                          format_size(missing.size_bytes)));
  }
  return out;
}

}  // namespace pairbench
