#include "base/clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include "base/error.h"

namespace pairbench {
namespace {

static_assert(Clock<TscClock>);
static_assert(Clock<RawClock>);

Ticks read(ClockSource source) {
  return source == ClockSource::tsc ? TscClock{}.now() : RawClock{}.now();
}

void expect_ordered(const ClockScale& scale) {
  EXPECT_GT(scale.ns_per_tick, 0);
  EXPECT_GT(scale.quantum_ns, 0);
  EXPECT_GT(scale.read_cost_ns, 0);
  EXPECT_GE(scale.uncertainty_ppm, 0);
}

TEST(ClockCalibration, AgreesWithTheSystemClock) {
  const ClockScale scale = ClockCalibration(ClockChoice::automatic).scale();
  expect_ordered(scale);
  using Steady = std::chrono::steady_clock;
  const auto nanoseconds = [](auto d) {
    return std::chrono::duration<double, std::nano>(d).count();
  };

  const auto before_first = Steady::now();
  const Ticks first = read(scale.source);
  const auto after_first = Steady::now();
  while (Steady::now() - after_first < std::chrono::milliseconds(20)) {
  }
  const auto before_last = Steady::now();
  const Ticks last = read(scale.source);
  const auto after_last = Steady::now();

  // steady_clock may be slewed by 500 ppm against the raw clock.
  EXPECT_GT(scale.to_ns(last - first), nanoseconds(before_last - after_first) * 0.999);
  EXPECT_LT(scale.to_ns(last - first), nanoseconds(after_last - before_first) * 1.001);
}

TEST(ClockCalibration, RefinesOverALongerBase) {
  ClockCalibration calibration(ClockChoice::automatic);
  const ClockScale first = calibration.scale();
  EXPECT_FALSE(first.drift_ppm.has_value());
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  calibration.refine();
  const ClockScale refined = calibration.scale();
  expect_ordered(refined);
  EXPECT_EQ(refined.source, first.source);
  if (first.source == ClockSource::raw) {
    EXPECT_FALSE(refined.drift_ppm.has_value());
    return;
  }
  ASSERT_TRUE(refined.drift_ppm.has_value());
  EXPECT_NEAR(*refined.drift_ppm, 1e6 * (refined.ns_per_tick / first.ns_per_tick - 1), 1e-6);
  EXPECT_LT(refined.uncertainty_ppm, first.uncertainty_ppm);
}

TEST(ClockCalibration, RawIsItsOwnReference) {
  ClockCalibration calibration(ClockChoice::raw);
  EXPECT_EQ(calibration.scale().source, ClockSource::raw);
  EXPECT_EQ(calibration.scale().ns_per_tick, 1.0);
  EXPECT_EQ(calibration.scale().uncertainty_ppm, 0.0);
  calibration.refine();
  EXPECT_FALSE(calibration.scale().drift_ppm.has_value());
  expect_ordered(calibration.scale());
}

TEST(ClockCalibration, GivesTheCounterOrSaysWhyNot) {
  try {
    EXPECT_EQ(ClockCalibration(ClockChoice::tsc).scale().source, ClockSource::tsc);
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().status, ExitStatus::usage);
    EXPECT_TRUE(error.failure().message.starts_with("--clock tsc: ")) << error.what();
  }
}

TEST(Clocks, NeverGoBack) {
  for (const ClockSource source : {ClockSource::tsc, ClockSource::raw}) {
    Ticks last = read(source);
    for (int i = 0; i < 10000; ++i) {
      const Ticks now = read(source);
      ASSERT_GE(now, last);
      last = now;
    }
  }
}

TEST(ClockNames, AreTheOptionsWords) {
  EXPECT_EQ(to_string(ClockSource::tsc), "tsc");
  EXPECT_EQ(to_string(ClockSource::raw), "raw");
  EXPECT_EQ(to_string(ClockChoice::automatic), "auto");
  EXPECT_EQ(to_string(ClockChoice::tsc), "tsc");
  EXPECT_EQ(to_string(ClockChoice::raw), "raw");
}

// Stamps of a counter that advances by `step`, read every `cost` ticks of true time and a little
// more every third time.
std::vector<Ticks> stamps_of(double step, double cost) {
  std::vector<Ticks> stamps;
  double time = 0;
  for (int i = 0; i < 1000; ++i) {
    stamps.push_back(static_cast<Ticks>(std::floor(time / step) * step));
    time += cost + (i % 3 == 0 ? 0.4 * step : 0);
  }
  return stamps;
}

TEST(QuantumOf, FindsTheStepAboveAndBelowTheCostOfARead) {
  EXPECT_EQ(quantum_of(stamps_of(21, 8)), 21u);
  EXPECT_EQ(quantum_of(stamps_of(21, 50)), 21u);
  EXPECT_EQ(quantum_of(stamps_of(2, 46)), 2u);
  EXPECT_EQ(quantum_of(stamps_of(1, 0.4)), 1u);
}

TEST(QuantumOf, IsOneWhereNothingShowsIt) {
  EXPECT_EQ(quantum_of({}), 1u);
  EXPECT_EQ(quantum_of(std::vector<Ticks>{5}), 1u);
  EXPECT_EQ(quantum_of(std::vector<Ticks>{5, 9}), 1u);
  EXPECT_EQ(quantum_of(std::vector<Ticks>{5, 9, 13, 17}), 1u);
}

}  // namespace
}  // namespace pairbench
