// The samples of one case: recording them, and digesting them (sort, quantiles, intervals).
#include "stats/quantiles.h"

#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "stats/samples.h"

namespace {

std::vector<pairbench::Ticks> durations(std::size_t count) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> ticks(8, 0.3);
  std::vector<pairbench::Ticks> result(count);
  for (auto& duration : result) duration = static_cast<pairbench::Ticks>(ticks(random));
  return result;
}

// By the sample: kept one by one (room for all of them), or folded into the histogram (for none).
void add_samples(benchmark::State& state) {
  const auto block = durations(1024);
  pairbench::Samples samples(pairbench::ClockScale{}, static_cast<std::size_t>(state.range(0)));
  for ([[maybe_unused]] auto _ : state) samples.add(block);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(block.size()));
}
BENCHMARK(add_samples)->ArgName("room")->Arg(1 << 22)->Arg(1)->Iterations(1 << 12);

void median_of_a_million(benchmark::State& state) {
  const auto values = durations(1'000'000);
  for ([[maybe_unused]] auto _ : state) {
    const pairbench::SortedDurations sorted(values, 1);
    benchmark::DoNotOptimize(sorted.at(500'000));
  }
}
BENCHMARK(median_of_a_million)->MinTime(0.2)->Unit(benchmark::kMillisecond);

void digest(benchmark::State& state) {
  const auto values = durations(static_cast<std::size_t>(state.range(0)));
  pairbench::Samples samples(pairbench::ClockScale{}, values.size());
  samples.add(values);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(samples.digest());
}
BENCHMARK(digest)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
