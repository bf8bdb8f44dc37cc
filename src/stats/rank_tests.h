// Exact rank tests of small samples, and the shifts and intervals that belong to them. Nothing is
// assumed of the values' distribution. (Hollander, Wolfe and Chicken, Nonparametric Statistical
// Methods, 3.1-3.3 and 4.1-4.3.)
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace pairbench {

struct Bounds {
  double low = 0;
  double high = 0;
};

// The Hodges-Lehmann estimate of the centre of differences, by inverting Wilcoxon's signed-rank
// test.
class SignedRank {
 public:
  // `differences` must not be empty.
  explicit SignedRank(std::span<const double> differences);

  // Two-sided, over all 2^n flips of the signs (above 64 values by their normal approximation);
  // ties share ranks, zeros keep theirs and count for neither sign (Pratt).
  double p_value() const { return p_value_; }
  double centre() const;                                    // the median of all pairs' means
  std::optional<Bounds> interval(double confidence) const;  // nullopt where n is too small

 private:
  std::size_t size_;
  double p_value_;
  std::vector<double> means_;  // of all pairs, each with itself too, ascending
};

// The Hodges-Lehmann shift of `a` against `b`, by inverting the Mann-Whitney test.
class RankSum {
 public:
  // Neither may be empty.
  RankSum(std::span<const double> a, std::span<const double> b);

  // Two-sided, over all ways to deal the pooled values out (above 64 by their normal
  // approximation); ties share ranks.
  double p_value() const { return p_value_; }
  double shift() const;                                     // the median of all differences a - b
  std::optional<Bounds> interval(double confidence) const;  // nullopt where n is too small

 private:
  std::size_t size_a_;
  std::size_t size_b_;
  double p_value_;
  std::vector<double> differences_;  // all of them, ascending
};

}  // namespace pairbench
