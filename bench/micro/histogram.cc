// Folding samples into a histogram, and merging two.
#include "stats/histogram.h"

#include <benchmark/benchmark.h>

#include <random>

namespace {

using pairbench::LogHistogram;

LogHistogram filled(int count) {
  LogHistogram histogram(LogHistogram::kFineBits);
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> picoseconds(15, 0.3);
  for (int i = 0; i < count; ++i) histogram.add(static_cast<std::uint64_t>(picoseconds(random)));
  return histogram;
}

void add(benchmark::State& state) {
  LogHistogram histogram = filled(1000);
  std::uint64_t value = 3'000'000;
  for ([[maybe_unused]] auto _ : state) histogram.add(value += 37);
}
BENCHMARK(add)->Iterations(1 << 20);

void merge(benchmark::State& state) {
  const LogHistogram other = filled(100'000);
  LogHistogram histogram = filled(100'000);
  for ([[maybe_unused]] auto _ : state) histogram.merge(other);
}
BENCHMARK(merge);

}  // namespace
