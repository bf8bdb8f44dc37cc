#include "stats/warmup_cut.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace pairbench {
namespace {

double median(std::vector<Ticks> batch) {
  const auto half = batch.begin() + static_cast<std::ptrdiff_t>(batch.size() / 2);
  std::nth_element(batch.begin(), half, batch.end());
  return static_cast<double>(*half);
}

}  // namespace

WarmupCut mser_cut(std::span<const double> values) {
  const std::size_t half = values.size() / 2;
  WarmupCut cut;
  double least = std::numeric_limits<double>::infinity();
  // From the back, so that each value joins the running mean and squares (Welford) once.
  double mean = 0, squares = 0, count = 0;
  for (std::size_t d = values.size(); d-- > 0;) {
    count += 1;
    const double deviation = values[d] - mean;
    mean += deviation / count;
    squares += deviation * (values[d] - mean);
    if (d > half) continue;
    const double mser = squares / (count * count);
    if (mser <= least) {
      least = mser;
      cut.samples = d;
    }
  }
  cut.converged = cut.samples < half || half == 0;
  return cut;
}

WarmupCut warmup_cut(std::span<const Ticks> durations) {
  constexpr std::size_t kMostBatches = 200;
  constexpr std::size_t kLeastBatch = 5;
  constexpr std::size_t kLeastBatches = 10;
  const std::size_t size = std::max(kLeastBatch, durations.size() / kMostBatches);
  const std::size_t batches = durations.size() / size;
  if (batches < kLeastBatches) return {};
  std::vector<double> medians;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    const auto part = durations.subspan(batch * size, size);
    medians.push_back(median({part.begin(), part.end()}));
  }
  WarmupCut cut = mser_cut(medians);
  cut.samples *= size;
  return cut;
}

}  // namespace pairbench
