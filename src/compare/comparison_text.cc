#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "base/printable.h"
#include "base/units.h"
#include "compare/views.h"
#include "report/figures.h"
#include "report/notes.h"

namespace pairbench {
namespace {

constexpr int kRatioDigits = 4;

std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  });
  return out;
}

std::string ratio_text(const Comparison& comparison) {
  return format_figure(comparison.ratio, kRatioDigits);
}

std::string bounds_text(const std::optional<Bounds>& bounds) {
  if (!bounds) return "[n/a, n/a]";
  return fmt::format("[{}, {}]", format_figure(bounds->low, kRatioDigits),
                     format_figure(bounds->high, kRatioDigits));
}

std::string percent(double share) {
  constexpr double kHundredths = 100;
  return fmt::format("{:g}%", std::round(share * 100 * kHundredths) / kHundredths);
}

std::string verdict_text(const SizeComparison& size) {
  if (!size.verdict) return "not comparable: " + size.reason;
  switch (*size.verdict) {
    case Verdict::negligible:
      return "negligible: shown, but below " + percent(size.smallest_effect);
    case Verdict::equal:
      return "equal within " + percent(size.smallest_effect);
    default:
      return std::string(to_string(*size.verdict));
  }
}

struct Scale {
  std::string_view unit;
  double factor;
};

Scale scale_of(const Metric& metric) {
  switch (metric.unit) {
    case Unit::ns:
      return metric.half_is_one_way ? Scale{"one way (RTT/2), us", kUsPerNs / 2}
                                    : Scale{"round trip, us", kUsPerNs};
    case Unit::bytes_per_second:
      return {"Gb/s", kGbPerByte};
    case Unit::messages_per_second:
      return {"Mmsg/s", kMillion};
  }
  return {"", 1};
}

std::string heading(const TransportComparison& comparison) {
  const auto& [b, c] = std::pair(comparison.baseline, comparison.candidate);
  std::string text;
  if (comparison.paired) {
    text = fmt::format("{} against {}, interleaved, {} repeats", c.name(), b.name(),
                       b.finished_repeats());
  } else {
    text = fmt::format(
        "{} in {} against {} in {}, {} against {} repeats; assumes that nothing else "
        "changed between the runs",
        c.name(), c.file, b.name(), b.file, c.finished_repeats(), b.finished_repeats());
    if (b.document->run.id == c.document->run.id) text += "; both files hold the same run";
  }
  return comment(text);
}

// Why nothing can be said of a family as a whole: that of its first size.
std::string reason_of(const Family& family) {
  for (const SizeComparison& size : family.sizes)
    if (!size.reason.empty()) return size.reason;
  return "too few repeats have every size";
}

std::string overall_line(const Family& family) {
  const std::string what =
      fmt::format("overall {} {} ", to_string(family.test), family.metric->name);
  if (!family.overall) return comment(what + "n/a: " + reason_of(family));
  const auto& [comparison, verdict, sizes] = *family.overall;
  const std::string of = sizes == family.sizes.size()
                             ? ""
                             : fmt::format("  (of {} of {} sizes)", sizes, family.sizes.size());
  return comment(fmt::format("{} {}x {}  {}{}", what, ratio_text(comparison),
                             bounds_text(comparison.interval), upper(to_string(verdict)), of));
}

std::string size_line(const Family& family, const SizeComparison& size) {
  const double factor = scale_of(*family.metric).factor;
  const auto& comparison = size.comparison;
  return fmt::format("{:>8} {:>9} {:>9}  {:>6}  {:<16}  {}\n", format_size(size.size_bytes),
                     scaled(size.baseline, factor), scaled(size.candidate, factor),
                     comparison ? ratio_text(*comparison) : kNotMeasured,
                     bounds_text(comparison ? comparison->interval : std::nullopt),
                     printable(verdict_text(size)));
}

// Among many sizes one interval in twenty leaves out 1 where nothing differs.
bool misleads(const SizeComparison& size) {
  if (size.verdict != Verdict::not_shown || !size.comparison->interval) return false;
  return size.comparison->interval->low > 1 || size.comparison->interval->high < 1;
}

std::string family_table(const Family& family) {
  const bool lower = family.metric->better() == Better::lower;
  std::string out =
      comment(fmt::format("{} {}, {}; {} is better", to_string(family.test), family.metric->name,
                          scale_of(*family.metric).unit, lower ? "lower" : "higher"));
  out += fmt::format("#{:>7} {:>9} {:>9}  {:>6}  {:<16}  {}\n", "size", "baseline", "candidate",
                     "ratio", "[interval]", "verdict");
  for (const SizeComparison& size : family.sizes) out += size_line(family, size);
  if (std::ranges::any_of(family.sizes, misleads))
    out += comment(
        "an interval alone shows nothing: among so many sizes one may leave out 1 by chance");
  return out;
}

// "+310 [+290, +330]"
std::string part_text(const PartComparison& part) {
  const Estimate& d = part.difference_ns;
  if (!d.low || !d.high) return fmt::format("{:+.0f} [n/a, n/a]", d.value);
  return fmt::format("{:+.0f} [{:+.0f}, {:+.0f}]", d.value, *d.low, *d.high);
}

// What the candidate's round trip spends more, and where.
std::string split_table(std::span<const SplitComparison> splits) {
  if (splits.empty()) return {};
  std::string out = comment(
      "where the difference arises: ns of a round trip more than the baseline spends in its calls, "
      "and in waiting for all else");
  out += fmt::format("#{:>6}", "size");
  for (const PartComparison& part : splits.front().parts) out += fmt::format(" {:<22}", part.part);
  out.replace(out.find_last_not_of(' ') + 1, std::string::npos, "\n");
  for (const SplitComparison& split : splits) {
    std::string line = fmt::format("# {:>5}", format_size(split.size_bytes));
    for (const PartComparison& part : split.parts) line += fmt::format(" {:<22}", part_text(part));
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

// Sizes whose calls were stamped too seldom, in a repeat at least, to say where the time goes.
std::string without_split(const TransportComparison& comparison) {
  if (comparison.split.empty()) return {};
  std::set<std::uint64_t> missing;
  for (const Family& family : comparison.families)
    if (family.test == Test::pingpong)
      for (const SizeComparison& size : family.sizes) missing.insert(size.size_bytes);
  for (const SplitComparison& split : comparison.split) missing.erase(split.size_bytes);
  std::vector<std::string> sizes;
  for (const std::uint64_t size : missing) sizes.push_back(format_size(size));
  if (sizes.empty()) return {};
  return comment(fmt::format("not told for {}: too few round trips", fmt::join(sizes, ", ")));
}

std::string side_lines(const Side& side, std::string_view name) {
  std::string out;
  if (!side.document->run.complete) out += comment(fmt::format("the {}'s run did not end", name));
  std::vector<std::string> met;
  for (const auto& [flag, cases] : side.disturbances())
    met.push_back(fmt::format("{} in {} case{}", flag, cases, cases == 1 ? "" : "s"));
  if (!met.empty()) out += comment(fmt::format("disturbed, {}: {}", name, fmt::join(met, ", ")));
  return out;
}

std::string missing_lines(std::span<const Missing> missing, std::string_view side) {
  std::string out;
  for (const Missing& m : missing)
    out += comment(fmt::format("only in the {}: {} {}{}{}", side, to_string(m.test),
                               format_size(m.size_bytes),
                               m.reason.empty() ? "" : "; other: ", m.reason));
  return out;
}

std::string difference_lines(std::span<const Difference> differences, bool verbose) {
  constexpr std::size_t kShown = 5;
  const std::size_t shown = verbose ? differences.size() : std::min(kShown, differences.size());
  std::string out;
  for (const Difference& d : differences.first(shown))
    out += comment(fmt::format("differs: {}: {} -> {}", d.what, d.baseline, d.candidate));
  if (shown < differences.size())
    out += comment(fmt::format("{} more differences: -v", differences.size() - shown));
  return out;
}

}  // namespace

std::string render_overall(const TransportComparison& comparison) {
  std::string lines;
  for (const Family& family : comparison.families)
    if (family.overall) lines += overall_line(family);
  return lines.empty() ? lines : heading(comparison) + lines;
}

std::string render_comparison(const TransportComparison& comparison, bool verbose) {
  std::string out = heading(comparison);
  for (const Family& family : comparison.families) out += overall_line(family);
  if (comparison.families.empty()) out += comment("nothing that both sides measured");
  for (const Family& family : comparison.families) out += family_table(family);
  return out + split_table(comparison.split) + without_split(comparison) +
         side_lines(comparison.baseline, "baseline") +
         side_lines(comparison.candidate, "candidate") +
         missing_lines(comparison.only_in_baseline, "baseline") +
         missing_lines(comparison.only_in_candidate, "candidate") +
         difference_lines(comparison.differences, verbose);
}

std::string render_regression(const Regression& regression, double limit) {
  const auto list = [](const std::vector<std::string>& names) {
    return printable(fmt::format("{}", fmt::join(names, ", ")));
  };
  switch (regression.status()) {
    case ExitStatus::regression:
      return fmt::format("REGRESSION beyond {}: {} (exit 3)\n", percent(limit),
                         list(regression.found));
    case ExitStatus::undecidable:
      return fmt::format(
          "UNDECIDED at {}: {} (exit 6)\n", percent(limit),
          regression.undecided.empty() ? "no size was tested" : list(regression.undecided));
    default:
      return fmt::format("no regression beyond {} shown in {} sizes\n", percent(limit),
                         regression.tested);
  }
}

}  // namespace pairbench
