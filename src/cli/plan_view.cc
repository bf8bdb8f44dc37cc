#include "cli/plan_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/units.h"
#include "stats/comparison.h"

namespace pairbench {
namespace {

std::string amount(const Case& c) {
  if (c.iterations) return fmt::format("{} messages", *c.iterations);
  return format_duration(c.duration);
}

std::string warmup(const Case& c) {
  if (c.warmup_iterations) return fmt::format("{} messages", *c.warmup_iterations);
  return format_duration(c.warmup);
}

// Whole hours, minutes or seconds from ten on: an estimate has no more.
std::chrono::nanoseconds rounded(std::chrono::nanoseconds time) {
  using namespace std::chrono_literals;
  if (time > 10h) return std::chrono::round<std::chrono::hours>(time);
  if (time > 10min) return std::chrono::round<std::chrono::minutes>(time);
  if (time > 10s) return std::chrono::round<std::chrono::seconds>(time);
  return std::chrono::round<std::chrono::milliseconds>(time / 100) * 100;
}

}  // namespace

std::string describe_extent(const Plan& plan) {
  const auto cases =
      std::count_if(plan.cases.begin(), plan.cases.end(), [](const Case& c) { return c.runs(); });
  return fmt::format("{} case{} x {} repeat{}, about {}", cases, cases == 1 ? "" : "s",
                     plan.repeats, plan.repeats == 1 ? "" : "s",
                     format_duration(rounded(plan.estimated_time)));
}

namespace {

// Each test's sizes are one family of verdicts.
std::string verdict_line(const Plan& plan) {
  if (plan.transports.size() < 2) return {};
  std::map<Test, std::set<std::uint64_t>> sizes;
  for (const Case& c : plan.cases)
    if (c.runs()) sizes[c.test].insert(c.size_bytes);
  std::size_t most = 0;
  for (const auto& [test, family] : sizes) most = std::max(most, family.size());
  if (most == 0) return {};
  const int needed = repeats_needed(most);
  return fmt::format(
      "# a verdict on each of {} sizes needs {} repeats: {}\n", most, needed,
      plan.repeats >= needed ? "there are enough" : fmt::format("--repeats {}", needed));
}

std::string adjustment_lines(const std::vector<Adjustment>& adjustments, const std::string& whose) {
  std::string text;
  for (const Adjustment& a : adjustments)
    text += fmt::format("# {} {}: {} will be taken{} ({})\n", a.option, a.asked, a.effective, whose,
                        a.reason);
  return text;
}

}  // namespace

std::string render_plan(const Plan& plan) {
  std::string text = fmt::format("# {}, {} MiB of memory on each host\n", describe_extent(plan),
                                 plan.memory_bytes >> 20);
  text += fmt::format("# {:<24} {:<9} {:>8} {:>7} {:>7}  {:<16} {}\n", "transport", "test", "size",
                      "window", "signal", "each repeat", "warm-up");
  for (const Case& c : plan.cases) {
    const std::string& label = plan.transports[static_cast<std::size_t>(c.transport)].spec.label;
    if (c.skipped)
      text += fmt::format("# skipped: {} {} {}: {}\n", label, to_string(c.test),
                          format_size(c.size_bytes), *c.skipped);
    else
      text +=
          fmt::format("  {:<24} {:<9} {:>8} {:>7} {:>7}  {:<16} {}\n", label, to_string(c.test),
                      format_size(c.size_bytes), c.window, c.signal_interval, amount(c), warmup(c));
  }
  for (const TransportPlan& t : plan.transports)
    text += fmt::format("# {}: rx depth {}, tx depth {}, refill at {}\n", t.spec.label, t.rx_depth,
                        t.tx_depth, t.refill_at);
  text += adjustment_lines(plan.adjustments, "");
  for (const TransportPlan& t : plan.transports)
    text += adjustment_lines(t.adjustments, " for " + t.spec.label);
  text += verdict_line(plan);
  return text + "# nothing was opened: the devices' limits may lower depths, or skip a case\n";
}

}  // namespace pairbench
