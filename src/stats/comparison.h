// Comparing two sets of repeats: ratio, interval, test, verdict. The unit is the repeat, never the
// message.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "stats/estimate.h"
#include "stats/rank_tests.h"

namespace pairbench {

// measured / baseline, of one value a repeat.
struct Comparison {
  double ratio = 1;
  std::optional<Bounds> interval;     // 95 %; none with too few repeats
  std::optional<Bounds> interval_90;  // for equivalence
  double p_value = 1;                 // of "no difference"
};

// Repeats of a side at most: all pairs of them are looked at.
inline constexpr std::size_t kMostRepeats = 1000;

// Values of the same repeat, measured back to back, stand at the same place: exp of the
// Hodges-Lehmann centre of ln(measured) - ln(baseline). nullopt where the lengths differ, are 0 or
// above kMostRepeats, or a value is not positive and finite.
std::optional<Comparison> compare_paired(std::span<const double> measured,
                                         std::span<const double> baseline);

// Repeats of different runs: exp of the Hodges-Lehmann shift of the logarithms. nullopt as above,
// lengths may differ.
std::optional<Comparison> compare_unpaired(std::span<const double> measured,
                                           std::span<const double> baseline);

// measured - baseline in their own unit, with a 95 % interval where there is one: the
// Hodges-Lehmann centre of the pairs' differences, or the shift. nullopt as above, but for values
// that are not positive.
std::optional<Estimate> difference_paired(std::span<const double> measured,
                                          std::span<const double> baseline);
std::optional<Estimate> difference_unpaired(std::span<const double> measured,
                                            std::span<const double> baseline);

// For an overall comparison: per repeat the geometric mean over sizes, `by_size` holding one vector
// of repeats a size. As many repeats as the shortest has.
std::vector<double> geometric_means(std::span<const std::vector<double>> by_size);

// Holm's step-down adjustment of a family's p values, in their order.
std::vector<double> holm(std::span<const double> p_values);

// The smallest p that any values of so many repeats can give: 2 / 2^n of pairs, 2 / C(a + b, a) of
// two sets. 1 for none.
double least_p_paired(std::size_t repeats);
double least_p_unpaired(std::size_t a, std::size_t b);

// Repeats that a family of so many tests needs (on each side where unpaired) before its smallest
// possible p survives Holm at 5 %. Paired: 1 + log2(tests / 0.05), rounded up.
int repeats_needed(std::size_t tests);
int repeats_needed_unpaired(std::size_t tests);

// What a p value is held against, after holm().
inline constexpr double kSignificance = 0.05;

enum class Better { lower, higher };
enum class Verdict {
  faster,
  slower,
  negligible,  // shown, but smaller than the smallest effect of interest
  equal,       // the 90 % interval lies within the smallest effect of interest
  not_shown,   // neither a difference nor equality
};
std::string_view to_string(Verdict verdict);

// The smallest relative effect of interest: 1 %, or the clock's step against the median where that
// is more.
double smallest_effect(double quantum_ns, double median_ns);

// `adjusted_p` is the comparison's after holm().
Verdict judge(const Comparison& comparison, double adjusted_p, double smallest_effect,
              Better better);

}  // namespace pairbench
