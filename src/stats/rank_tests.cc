#include "stats/rank_tests.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/estimate.h"

namespace pairbench {
namespace {

// Twice the mid-rank of each value, so that shared ranks are whole numbers.
std::vector<std::size_t> doubled_ranks(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::size_t> ranks;
  for (const double value : values) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
    ranks.push_back(
        static_cast<std::size_t>((first - sorted.begin()) + (last - sorted.begin()) + 1));
  }
  return ranks;
}

std::vector<std::size_t> plain_ranks(std::size_t n) {
  std::vector<std::size_t> ranks(n);
  std::iota(ranks.begin(), ranks.end(), std::size_t{1});
  return ranks;
}

// Up to so many values all flips, or all choices, are counted; beyond, their sum is as good as
// normal.
constexpr std::size_t kMostCounted = 64;

std::size_t sum_of(const std::vector<std::size_t>& ranks) {
  return std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
}

std::size_t squares_of(const std::vector<std::size_t>& ranks) {
  return std::inner_product(ranks.begin(), ranks.end(), ranks.begin(), std::size_t{0});
}

std::vector<double> normal_distribution(double mean, double variance, std::size_t largest) {
  std::vector<double> probability(largest + 1);
  for (std::size_t sum = 0; sum <= largest; ++sum) {
    const double distance = static_cast<double>(sum) - mean;
    probability[sum] = std::exp(-distance * distance / (2 * variance));
  }
  const double all = std::accumulate(probability.begin(), probability.end(), 0.0);
  for (double& p : probability) p /= all;
  return probability;
}

// The probability of each sum of the ranks that get a plus, each with probability 1/2.
std::vector<double> sign_flip_distribution(const std::vector<std::size_t>& ranks) {
  if (ranks.size() > kMostCounted) {
    const std::size_t total = sum_of(ranks);
    return normal_distribution(static_cast<double>(total) / 2,
                               static_cast<double>(squares_of(ranks)) / 4, total);
  }
  std::vector<double> probability = {1};
  for (const std::size_t rank : ranks) {
    std::vector<double> next(probability.size() + rank);
    for (std::size_t sum = 0; sum < probability.size(); ++sum) {
      next[sum] += probability[sum] / 2;
      next[sum + rank] += probability[sum] / 2;
    }
    probability = std::move(next);
  }
  return probability;
}

// The probability of each sum of `chosen` of the ranks, every choice being as likely.
std::vector<double> choice_distribution(const std::vector<std::size_t>& ranks, std::size_t chosen) {
  const std::size_t total = sum_of(ranks);
  if (ranks.size() > kMostCounted) {
    // Drawing without replacement.
    const auto n = static_cast<double>(ranks.size());
    const auto k = static_cast<double>(chosen);
    const double mean = static_cast<double>(total) / n;
    const double spread = static_cast<double>(squares_of(ranks)) / n - mean * mean;
    return normal_distribution(k * mean, k * (n - k) / (n - 1) * spread, total);
  }
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(total + 1));
  ways[0][0] = 1;
  for (const std::size_t rank : ranks) {
    for (std::size_t taken = chosen; taken > 0; --taken) {
      for (std::size_t sum = total; sum >= rank; --sum) {
        ways[taken][sum] += ways[taken - 1][sum - rank];
      }
    }
  }
  std::vector<double> last = std::move(ways[chosen]);
  const double all = std::accumulate(last.begin(), last.end(), 0.0);
  for (double& probability : last) probability /= all;
  return last;
}

double two_sided(const std::vector<double>& probability, std::size_t observed) {
  const auto at = probability.begin() + static_cast<std::ptrdiff_t>(observed);
  const double below = std::accumulate(probability.begin(), at + 1, 0.0);
  const double above = std::accumulate(at, probability.end(), 0.0);
  return std::min(1.0, 2 * std::min(below, above));
}

// Of the ascending candidates, the two that as many lie beyond as the statistic allows: with the
// largest c such that P(T <= offset + c) <= (1 - confidence)/2, the (c+1)th from either end.
std::optional<Bounds> invert(const std::vector<double>& candidates,
                             const std::vector<double>& probability, std::size_t offset,
                             double confidence) {
  constexpr double kRounding = 1e-12;
  const double beyond = (1 - confidence) / 2 + kRounding;
  std::size_t rank = 0;
  double cumulative = 0;
  while (offset + rank < probability.size()) {
    cumulative += probability[offset + rank];
    if (cumulative > beyond) break;
    ++rank;
  }
  if (rank == 0) return std::nullopt;
  return Bounds{candidates[rank - 1], candidates[candidates.size() - rank]};
}

double signed_rank_p_value(std::span<const double> differences) {
  std::vector<double> sizes;
  for (const double difference : differences) sizes.push_back(std::abs(difference));
  const std::vector<std::size_t> ranks = doubled_ranks(sizes);
  std::vector<std::size_t> signed_ranks;
  std::size_t positive = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (differences[i] != 0) signed_ranks.push_back(ranks[i]);
    if (differences[i] > 0) positive += ranks[i];
  }
  return two_sided(sign_flip_distribution(signed_ranks), positive);
}

double rank_sum_p_value(std::span<const double> a, std::span<const double> b) {
  std::vector<double> pooled(a.begin(), a.end());
  pooled.insert(pooled.end(), b.begin(), b.end());
  const std::vector<std::size_t> ranks = doubled_ranks(pooled);
  const auto end_of_a = ranks.begin() + static_cast<std::ptrdiff_t>(a.size());
  const std::size_t sum = std::accumulate(ranks.begin(), end_of_a, std::size_t{0});
  return two_sided(choice_distribution(ranks, a.size()), sum);
}

}  // namespace

SignedRank::SignedRank(std::span<const double> differences)
    : size_(differences.size()), p_value_(signed_rank_p_value(differences)) {
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = i; j < size_; ++j) means_.push_back((differences[i] + differences[j]) / 2);
  }
  std::sort(means_.begin(), means_.end());
}

double SignedRank::centre() const {
  return median_of_sorted(means_);
}

std::optional<Bounds> SignedRank::interval(double confidence) const {
  return invert(means_, sign_flip_distribution(plain_ranks(size_)), 0, confidence);
}

RankSum::RankSum(std::span<const double> a, std::span<const double> b)
    : size_a_(a.size()), size_b_(b.size()), p_value_(rank_sum_p_value(a, b)) {
  for (const double x : a) {
    for (const double y : b) differences_.push_back(x - y);
  }
  std::sort(differences_.begin(), differences_.end());
}

double RankSum::shift() const {
  return median_of_sorted(differences_);
}

std::optional<Bounds> RankSum::interval(double confidence) const {
  const std::size_t least_sum = size_a_ * (size_a_ + 1) / 2;
  return invert(differences_, choice_distribution(plain_ranks(size_a_ + size_b_), size_a_),
                least_sum, confidence);
}

}  // namespace pairbench
