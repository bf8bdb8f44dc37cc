#include "stats/samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "stats/allocations.h"

namespace pairbench {
namespace {

#ifdef NDEBUG
constexpr std::uint64_t kMany = 25'000'000;
#else
constexpr std::uint64_t kMany = 500'000;
#endif

// Two ticks a nanosecond, in steps of one tick.
ClockScale half_nanoseconds() {
  ClockScale scale;
  scale.ns_per_tick = 0.5;
  scale.quantum_ns = 0.5;
  return scale;
}

Samples samples_of(const std::vector<Ticks>& durations,
                   std::size_t raw_capacity = Samples::kRawCapacity) {
  Samples samples(half_nanoseconds(), raw_capacity);
  samples.add(durations);
  return samples;
}

// Independent, spread over a factor of ten.
std::vector<Ticks> durations_of(std::uint64_t seed, std::size_t n) {
  std::mt19937_64 random(seed);
  std::vector<Ticks> durations(n);
  for (Ticks& duration : durations) duration = 2000 + random() % 18000;
  return durations;
}

void expect_ordered(const QuantileSet& set) {
  double before = set.min->value;
  for (const auto& quantile : {set.p50, set.p90, set.p99, set.p99_9, set.max}) {
    if (!quantile) continue;
    EXPECT_GE(quantile->value, before);
    EXPECT_LE(quantile->low.value_or(quantile->value), quantile->value);
    EXPECT_GE(quantile->high.value_or(quantile->value), quantile->value);
    before = quantile->value;
  }
}

TEST(Samples, OfNothingIsAllNull) {
  const Samples samples = samples_of({});
  const QuantileSet set = samples.digest();
  EXPECT_EQ(set.count, 0u);
  for (const auto& value : {set.min, set.p50, set.p90, set.p99, set.p99_9, set.max, set.mean}) {
    EXPECT_FALSE(value.has_value());
  }
  EXPECT_EQ(samples.stored_histogram(), LogHistogram());
}

TEST(Samples, OfOneHaveAMedianWithoutAnInterval) {
  const QuantileSet set = samples_of({1000}).digest();
  EXPECT_EQ(set.count, 1u);
  for (const auto& value : {set.min, set.p50, set.max, set.mean}) {
    EXPECT_EQ(value, (Estimate{500, {}, {}}));
  }
  for (const auto& value : {set.p90, set.p99, set.p99_9}) EXPECT_FALSE(value.has_value());
}

TEST(Samples, AreInNanoseconds) {
  const QuantileSet set = samples_of({20, 40, 60, 80, 100, 120, 140, 160, 190}).digest();
  EXPECT_EQ(set.min->value, 10);
  EXPECT_EQ(set.p50, (Estimate{50, 20, 80}));  // x(5) in [x(2), x(8)]
  EXPECT_EQ(set.max->value, 95);
  EXPECT_DOUBLE_EQ(set.mean->value, 910 / 9.0 / 2);
}

TEST(Samples, NeedTenEffectiveOnesBeyondATail) {
  const auto tails = [](std::size_t n) {
    std::vector<Ticks> durations(n);
    // Spread so evenly, by the golden ratio, that nothing is lost to dependence.
    for (std::size_t i = 0; i < n; ++i) durations[i] = 1000 + i * 618'034 % 1'000'000;
    const QuantileSet set = samples_of(durations).digest();
    return std::array{set.p90.has_value(), set.p99.has_value(), set.p99_9.has_value()};
  };
  EXPECT_EQ(tails(99), (std::array{false, false, false}));
  EXPECT_EQ(tails(100), (std::array{true, false, false}));
  EXPECT_EQ(tails(999), (std::array{true, false, false}));
  EXPECT_EQ(tails(1000), (std::array{true, true, false}));
  EXPECT_EQ(tails(10000), (std::array{true, true, true}));
}

TEST(Samples, DoNotTrustATailFromOneBurst) {
  std::vector<Ticks> durations = durations_of(1, 2000);
  std::fill(durations.begin() + 500, durations.begin() + 700, 100000);
  const QuantileSet set = samples_of(durations).digest();
  EXPECT_TRUE(set.p50.has_value());
  EXPECT_FALSE(set.p90.has_value());
}

TEST(Samples, DoNotTrustATailFromOneBurstOfEqualOnes) {
  std::vector<Ticks> durations(10000, 100);
  std::fill(durations.begin() + 5000, durations.begin() + 5300, 900);
  const QuantileSet set = samples_of(durations).digest();
  EXPECT_FALSE(set.p99.has_value());
  EXPECT_FALSE(set.p99_9.has_value());
}

TEST(Samples, OfACoarseClockAreInterpolated) {
  ClockScale scale;
  scale.ns_per_tick = 40;
  scale.quantum_ns = 40;
  Samples samples(scale, 100);
  samples.add(std::vector<Ticks>{24, 25, 25, 25, 25, 25, 25, 26, 26, 27});
  // 25 - 1/2 + (5 - 1)/6 ticks.
  EXPECT_DOUBLE_EQ(samples.digest().p50->value, 40 * (24.5 + 4.0 / 6));
}

TEST(Samples, OfEqualDurationsAreThatDuration) {
  for (const std::size_t capacity : {std::size_t{1000}, std::size_t{10}}) {
    const QuantileSet set = samples_of(std::vector<Ticks>(1000, 2000), capacity).digest();
    for (const auto& value : {set.min, set.p50, set.p90, set.p99, set.max, set.mean}) {
      ASSERT_TRUE(value.has_value());
      EXPECT_EQ(value->value, 1000);
    }
  }
}

TEST(Samples, AreInOrderWhateverTheData) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 40; ++round) {
    std::vector<Ticks> durations(1 + random() % 3000);
    const Ticks distinct = 1 + random() % 50;
    for (Ticks& duration : durations) duration = 1000 + 30 * (random() % distinct);
    for (const std::size_t capacity : {std::size_t{100}, std::size_t{3000}}) {
      const QuantileSet set = samples_of(durations, capacity).digest();
      expect_ordered(set);
      const auto [least, most] = std::minmax_element(durations.begin(), durations.end());
      EXPECT_EQ(set.min->value, static_cast<double>(*least) / 2);
      EXPECT_EQ(set.max->value, static_cast<double>(*most) / 2);
    }
  }
}

TEST(Samples, AddedInPartsAreTheSame) {
  const std::vector<Ticks> durations = durations_of(2, 5000);
  for (const std::size_t capacity : {std::size_t{5000}, std::size_t{999}}) {
    Samples in_parts(half_nanoseconds(), capacity);
    for (std::size_t i = 0; i < durations.size(); i += 125) {
      in_parts.add(std::span(durations).subspan(i, 125));
    }
    const Samples at_once = samples_of(durations, capacity);
    EXPECT_EQ(in_parts.digest().p99, at_once.digest().p99);
    EXPECT_EQ(in_parts.stored_histogram(), at_once.stored_histogram());
  }
}

TEST(Samples, FoldOnlyBeyondTheirCapacity) {
  Samples samples(half_nanoseconds(), 3);
  samples.add(std::vector<Ticks>{2, 4, 6});
  EXPECT_TRUE(samples.raw());
  samples.add(std::vector<Ticks>{8});
  EXPECT_FALSE(samples.raw());
  EXPECT_EQ(samples.count(), 4u);
  EXPECT_EQ(samples.digest().max->value, 4);
}

TEST(Samples, FoldedAreWithinAFineBucketOfRaw) {
  const std::vector<Ticks> durations = durations_of(3, 40000);
  const Samples raw = samples_of(durations), folded = samples_of(durations, 10000);
  ASSERT_TRUE(raw.raw());
  ASSERT_FALSE(folded.raw());
  const QuantileSet a = raw.digest(), b = folded.digest();
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.min, b.min);
  EXPECT_EQ(a.max, b.max);
  EXPECT_EQ(a.mean, b.mean);
  for (const auto field : {&QuantileSet::p50, &QuantileSet::p90, &QuantileSet::p99}) {
    ASSERT_TRUE((a.*field) && (b.*field));
    EXPECT_NEAR((b.*field)->value, (a.*field)->value, (a.*field)->value * 0.0005);
    ASSERT_TRUE((b.*field)->low && (b.*field)->high);
  }
  EXPECT_EQ(raw.stored_histogram(), folded.stored_histogram());
}

TEST(Samples, KeepTheLongestWithTheirPlaces) {
  std::vector<Ticks> durations(1000, 100);
  durations[7] = 5000;
  durations[500] = 9000;
  durations[501] = 5000;
  for (const std::size_t capacity : {Samples::kRawCapacity, std::size_t{64}}) {
    const auto largest = samples_of(durations, capacity).largest();
    ASSERT_EQ(largest.size(), Samples::kLargest);
    EXPECT_EQ(largest[0], (LargeSample{4500, 500, (499 * 100 + 5000) * 0.5}));
    EXPECT_EQ(largest[1], (LargeSample{2500, 7, 350}));
    EXPECT_EQ(largest[2].index, 501u);
    EXPECT_EQ(largest[9].ns, 50);
  }
  EXPECT_TRUE(samples_of({}).largest().empty());
  EXPECT_EQ(samples_of({1, 3, 2}).largest()[0].index, 1u);
}

TEST(Samples, SayWhatShareOfTheTimeStallsTake) {
  std::vector<Ticks> durations(1000, 100);
  EXPECT_EQ(samples_of(durations).digest().stall_time_share, 0.0);
  durations[10] = 1000;  // ten medians are none yet
  durations[20] = 99100;
  const double share = 99100.0 / (998 * 100 + 1000 + 99100);
  EXPECT_NEAR(*samples_of(durations).digest().stall_time_share, share, 1e-9);
  EXPECT_NEAR(*samples_of(durations, 64).digest().stall_time_share, share, 1e-3);
  EXPECT_EQ(samples_of({}).digest().stall_time_share, std::nullopt);
}

TEST(Samples, StoreTheirHistogramInPicoseconds) {
  const LogHistogram histogram = samples_of({3, 2000}).stored_histogram();
  EXPECT_EQ(histogram.precision_bits(), LogHistogram::kStoredBits);
  EXPECT_EQ(histogram.count(), 2u);
  EXPECT_EQ(histogram.min(), 1500u);
  EXPECT_EQ(histogram.max(), 1'000'000u);
}

TEST(Samples, CountANegativeDifferenceAsAClockFault) {
  const Ticks earlier = 100, later = 130;
  const Samples samples = samples_of({1000, earlier - later, 2000});
  EXPECT_EQ(samples.clock_faults(), 1u);
  EXPECT_EQ(samples.count(), 2u);
  EXPECT_EQ(samples.digest().max->value, 1000);
  EXPECT_EQ(samples.digest().mean->value, 750);
}

TEST(Samples, BearTheLimitsOfTheType) {
  constexpr Ticks kLongest = std::numeric_limits<Ticks>::max() / 2;
  for (const std::size_t capacity : {std::size_t{4}, std::size_t{0}}) {
    const Samples samples = samples_of({0, kLongest, kLongest}, capacity);
    const QuantileSet set = samples.digest();
    EXPECT_EQ(samples.clock_faults(), 0u);
    EXPECT_EQ(set.min->value, 0);
    EXPECT_EQ(set.max->value, static_cast<double>(kLongest) / 2);
    EXPECT_EQ(samples.stored_histogram().max(), std::numeric_limits<std::uint64_t>::max());
  }
}

TEST(Samples, DoNotAllocateWhileRaw) {
  const std::vector<Ticks> durations = durations_of(4, 1000);
  Samples samples(half_nanoseconds(), 10000);
  const std::size_t before = test::allocations();
  for (int i = 0; i < 10; ++i) samples.add(durations);
  EXPECT_EQ(test::allocations(), before);
  EXPECT_TRUE(samples.raw());
}

TEST(Samples, AreCountedBeyondTheirCapacityInBoundedMemory) {
  const std::vector<Ticks> block = durations_of(6, 10000);
  Samples samples(half_nanoseconds(), std::min<std::size_t>(kMany / 5, Samples::kRawCapacity));
  while (samples.count() < kMany) samples.add(block);
  const QuantileSet set = samples.digest();
  EXPECT_FALSE(samples.raw());
  EXPECT_EQ(set.count, kMany);
  const QuantileSet one_block = samples_of(block).digest();
  EXPECT_NEAR(set.mean->value, one_block.mean->value, 1e-6);
  EXPECT_NEAR(set.p99->value, one_block.p99->value, one_block.p99->value * 0.001);
  expect_ordered(set);
}

}  // namespace
}  // namespace pairbench
