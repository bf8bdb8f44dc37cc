// What one stamp costs, and what recording it adds.
#include "base/clock.h"

#include <benchmark/benchmark.h>

#include <vector>

#include "stats/samples.h"

namespace {

template <pairbench::Clock C>
void stamp(benchmark::State& state) {
  const C clock;
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(clock.now());
}
BENCHMARK(stamp<pairbench::TscClock>);
BENCHMARK(stamp<pairbench::RawClock>);

// As the ping-pong loop does it: one stamp closes a sample and opens the next.
void stamp_and_store(benchmark::State& state) {
  const pairbench::TscClock clock;
  std::vector<pairbench::Ticks> samples(1 << 12);
  pairbench::Ticks opened = clock.now();
  std::size_t i = 0;
  for ([[maybe_unused]] auto _ : state) {
    const pairbench::Ticks now = clock.now();
    samples[i++ % samples.size()] = now - opened;
    opened = now;
  }
}
BENCHMARK(stamp_and_store);

}  // namespace
