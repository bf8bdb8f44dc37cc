#include "stats/comparison.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "stats/intervals.h"

namespace pairbench {
namespace {

constexpr double kEquivalenceConfidence = 0.90;
constexpr double kLeastEffect = 0.01;

// Empty where a value has no logarithm.
std::vector<double> logarithms(std::span<const double> values) {
  std::vector<double> out;
  if (values.size() > kMostRepeats) return out;
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) return {};
    out.push_back(std::log(value));
  }
  return out;
}

std::optional<Bounds> exp_of(const std::optional<Bounds>& bounds) {
  if (!bounds) return std::nullopt;
  return Bounds{std::exp(bounds->low), std::exp(bounds->high)};
}

template <class RankTest>
Comparison comparison_of(const RankTest& test, double log_ratio) {
  return {std::exp(log_ratio), exp_of(test.interval(kConfidence)),
          exp_of(test.interval(kEquivalenceConfidence)), test.p_value()};
}

Estimate estimate_of(double value, const std::optional<Bounds>& interval) {
  if (!interval) return {value, {}, {}};
  return {value, interval->low, interval->high};
}

// Within [1 / (1 + effect), 1 + effect], which is symmetric for ratios.
bool within(double ratio, double effect) {
  return std::abs(std::log(ratio)) <= std::log1p(effect);
}

}  // namespace

std::optional<Comparison> compare_paired(std::span<const double> measured,
                                         std::span<const double> baseline) {
  std::vector<double> differences = logarithms(measured);
  const std::vector<double> b = logarithms(baseline);
  if (differences.empty() || differences.size() != b.size()) return std::nullopt;
  std::transform(differences.begin(), differences.end(), b.begin(), differences.begin(),
                 std::minus<>());
  const SignedRank test(differences);
  return comparison_of(test, test.centre());
}

std::optional<Comparison> compare_unpaired(std::span<const double> measured,
                                           std::span<const double> baseline) {
  const std::vector<double> a = logarithms(measured);
  const std::vector<double> b = logarithms(baseline);
  if (a.empty() || b.empty()) return std::nullopt;
  const RankSum test(a, b);
  return comparison_of(test, test.shift());
}

std::optional<Estimate> difference_paired(std::span<const double> measured,
                                          std::span<const double> baseline) {
  if (measured.empty() || measured.size() != baseline.size()) return std::nullopt;
  if (measured.size() > kMostRepeats) return std::nullopt;
  std::vector<double> differences(measured.size());
  std::transform(measured.begin(), measured.end(), baseline.begin(), differences.begin(),
                 std::minus<>());
  const SignedRank test(differences);
  return estimate_of(test.centre(), test.interval(kConfidence));
}

std::optional<Estimate> difference_unpaired(std::span<const double> measured,
                                            std::span<const double> baseline) {
  if (measured.empty() || baseline.empty()) return std::nullopt;
  if (std::max(measured.size(), baseline.size()) > kMostRepeats) return std::nullopt;
  const RankSum test(measured, baseline);
  return estimate_of(test.shift(), test.interval(kConfidence));
}

std::vector<double> geometric_means(std::span<const std::vector<double>> by_size) {
  if (by_size.empty()) return {};
  const auto shorter = [](const auto& a, const auto& b) { return a.size() < b.size(); };
  std::vector<double> means(std::min_element(by_size.begin(), by_size.end(), shorter)->size());
  for (std::size_t repeat = 0; repeat < means.size(); ++repeat) {
    double sum = 0;
    for (const auto& values : by_size) sum += std::log(values[repeat]);
    means[repeat] = std::exp(sum / static_cast<double>(by_size.size()));
  }
  return means;
}

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double least = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto remaining = static_cast<double>(order.size() - i);
    least = std::min(1.0, std::max(least, p_values[order[i]] * remaining));
    adjusted[order[i]] = least;
  }
  return adjusted;
}

double least_p_paired(std::size_t repeats) {
  return std::min(1.0, std::exp2(1 - static_cast<double>(repeats)));
}

double least_p_unpaired(std::size_t a, std::size_t b) {
  double ways = 1;
  for (std::size_t i = 1; i <= a; ++i) ways *= static_cast<double>(b + i) / static_cast<double>(i);
  return std::min(1.0, 2 / ways);
}

int repeats_needed(std::size_t tests) {
  return static_cast<int>(std::ceil(1 + std::log2(static_cast<double>(tests) / kSignificance)));
}

int repeats_needed_unpaired(std::size_t tests) {
  std::size_t repeats = 1;
  while (least_p_unpaired(repeats, repeats) * static_cast<double>(tests) > kSignificance) ++repeats;
  return static_cast<int>(repeats);
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::faster:
      return "faster";
    case Verdict::slower:
      return "slower";
    case Verdict::negligible:
      return "negligible";
    case Verdict::equal:
      return "equal";
    case Verdict::not_shown:
      return "no difference shown";
  }
  return "unknown";
}

double smallest_effect(double quantum_ns, double median_ns) {
  return std::max(kLeastEffect, quantum_ns / median_ns);
}

Verdict judge(const Comparison& comparison, double adjusted_p, double smallest_effect,
              Better better) {
  if (adjusted_p <= kSignificance) {
    if (within(comparison.ratio, smallest_effect)) return Verdict::negligible;
    return (comparison.ratio < 1) == (better == Better::lower) ? Verdict::faster : Verdict::slower;
  }
  const auto& narrow = comparison.interval_90;
  const bool equal =
      narrow && within(narrow->low, smallest_effect) && within(narrow->high, smallest_effect);
  return equal ? Verdict::equal : Verdict::not_shown;
}

}  // namespace pairbench
