#include "stats/intervals.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace pairbench {
namespace {

// The probabilities of Bin(n, p) from `first` on; what is left out on either side is below 1e-20 of
// the largest.
struct BinomialTerms {
  std::uint64_t first = 0;
  std::vector<double> probability;
};

// Ratios of neighbouring terms, outward from the mode, then divided by their sum: no factorials, no
// cancellation, of the order of sqrt(n) terms.
BinomialTerms binomial_terms(std::uint64_t n, double p) {
  constexpr double kNegligible = 1e-20;
  const double odds = p / (1 - p);
  const auto count = static_cast<double>(n);
  const auto mode = std::min(n, static_cast<std::uint64_t>((count + 1) * p));

  BinomialTerms terms;
  double term = 1;
  for (std::uint64_t k = mode; term > kNegligible; --k) {
    terms.probability.push_back(term);
    terms.first = k;
    if (k == 0) break;
    term *= static_cast<double>(k) / ((count - static_cast<double>(k) + 1) * odds);
  }
  std::reverse(terms.probability.begin(), terms.probability.end());

  term = 1;
  for (std::uint64_t k = mode; k < n; ++k) {
    term *= (count - static_cast<double>(k)) / static_cast<double>(k + 1) * odds;
    if (term <= kNegligible) break;
    terms.probability.push_back(term);
  }
  const double sum = std::accumulate(terms.probability.begin(), terms.probability.end(), 0.0);
  for (double& probability : terms.probability) probability /= sum;
  return terms;
}

std::uint64_t scaled(std::uint64_t rank, std::uint64_t from, std::uint64_t to,
                     double (*round)(double)) {
  const double share = static_cast<double>(rank) / static_cast<double>(from + 1);
  const double rank_there = round(share * static_cast<double>(to + 1));
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(rank_there), 1, to);
}

// Of the share of durations that `exceeds` holds for.
template <class Exceeds>
double inflation_of(std::span<const Ticks> durations, const Exceeds& exceeds) {
  constexpr std::size_t kBatches = 40;
  const std::size_t n = durations.size();
  if (n < 2 * kBatches) return 1;
  std::vector<double> counts(kBatches);
  std::vector<double> sizes(kBatches);
  for (std::size_t batch = 0; batch < kBatches; ++batch) {
    const std::size_t begin = batch * n / kBatches;
    const auto part = durations.subspan(begin, (batch + 1) * n / kBatches - begin);
    counts[batch] = static_cast<double>(std::count_if(part.begin(), part.end(), exceeds));
    sizes[batch] = static_cast<double>(part.size());
  }
  const double share = std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(n);
  if (share == 0 || share == 1) return 1;
  double squares =
      0;  // of counts' deviations in units of their standard deviation were they independent
  for (std::size_t batch = 0; batch < kBatches; ++batch) {
    const double deviation = counts[batch] - sizes[batch] * share;
    squares += deviation * deviation / (sizes[batch] * share * (1 - share));
  }
  return std::max(1.0, squares / (kBatches - 1));
}

}  // namespace

std::optional<RankInterval> quantile_ranks(std::uint64_t n, double p, double confidence) {
  if (n == 0) return std::nullopt;
  const double beyond = (1 - confidence) / 2;
  const BinomialTerms terms = binomial_terms(n, p);
  RankInterval ranks{terms.first, n + 1};
  double cumulative = 0;
  for (std::size_t i = 0; i < terms.probability.size(); ++i) {
    cumulative += terms.probability[i];
    const std::uint64_t rank = terms.first + i + 1;  // cumulative is P(B <= rank - 1)
    if (cumulative <= beyond) ranks.low = rank;
    if (cumulative >= 1 - beyond) {
      ranks.high = rank;
      break;
    }
  }
  if (ranks.low < 1 || ranks.high > n) return std::nullopt;
  return ranks;
}

std::optional<RankInterval> quantile_ranks_inflated(std::uint64_t n, double p, double inflation) {
  const auto effective = static_cast<std::uint64_t>(static_cast<double>(n) / inflation);
  const std::optional<RankInterval> ranks = quantile_ranks(effective, p);
  if (!ranks || effective == n) return ranks;
  return RankInterval{scaled(ranks->low, effective, n, [](double x) { return std::floor(x); }),
                      scaled(ranks->high, effective, n, [](double x) { return std::ceil(x); })};
}

double variance_inflation(std::span<const Ticks> durations, Ticks threshold) {
  return std::max(inflation_of(durations, [=](Ticks duration) { return duration > threshold; }),
                  inflation_of(durations, [=](Ticks duration) { return duration >= threshold; }));
}

}  // namespace pairbench
