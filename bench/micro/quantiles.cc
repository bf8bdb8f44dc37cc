// Digesting the samples of one case: sort, quantiles, intervals.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "stats/samples.h"

namespace {

void digest(benchmark::State& state) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> ticks(8, 0.3);
  std::vector<pairbench::Ticks> durations(static_cast<std::size_t>(state.range(0)));
  for (auto& duration : durations) duration = static_cast<pairbench::Ticks>(ticks(random));
  pairbench::Samples samples(pairbench::ClockScale{}, durations.size());
  samples.add(durations);
  for (auto _ : state) benchmark::DoNotOptimize(samples.digest());
}
BENCHMARK(digest)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
