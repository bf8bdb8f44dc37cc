#include "stats/hockney.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace pairbench {
namespace {

// 1, 2, 4, … bytes, each with its time.
template <class Time>
std::vector<SizeTime> doubling(std::uint64_t last, const Time& time) {
  std::vector<SizeTime> points;
  for (std::uint64_t size = 1; size <= last; size *= 2)
    points.push_back({size, time(static_cast<double>(size))});
  return points;
}

TEST(Hockney, ALineIsOnePieceWithItsParameters) {
  const auto pieces = fit_hockney(doubling(1 << 20, [](double n) { return 1500 + 0.25 * n; }));
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].from_bytes, 1u);
  EXPECT_EQ(pieces[0].to_bytes, 1u << 20);
  EXPECT_NEAR(pieces[0].alpha_ns, 1500, 0.01);
  EXPECT_NEAR(pieces[0].ns_per_byte, 0.25, 1e-6);
  EXPECT_NEAR(*pieces[0].half_rate_bytes(), 6000, 0.1);
}

TEST(Hockney, ASwitchOfProtocolIsFoundAndNamedByItsSizes) {
  const auto time = [](double n) { return n <= 16384 ? 2000 + 0.5 * n : 9000 + 0.2 * n; };
  const auto pieces = fit_hockney(doubling(1 << 22, time));
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].to_bytes, 16384u);
  EXPECT_EQ(pieces[1].from_bytes, 32768u);
  EXPECT_NEAR(pieces[0].alpha_ns, 2000, 1);
  EXPECT_NEAR(pieces[1].alpha_ns, 9000, 10);
  EXPECT_NEAR(pieces[1].ns_per_byte, 0.2, 1e-3);
}

TEST(Hockney, NoiseOfTwoPercentMakesNoSwitch) {
  int split = 0;
  constexpr int kSeeds = 100;
  for (int seed = 0; seed < kSeeds; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    std::normal_distribution<double> noise(0, 0.02);
    const auto pieces = fit_hockney(
        doubling(1 << 22, [&](double n) { return (1500 + 0.25 * n) * (1 + noise(random)); }));
    split += pieces.size() > 1 ? 1 : 0;
  }
  EXPECT_LE(split, kSeeds / 10);
}

TEST(Hockney, ANoisySwitchIsStillFound) {
  int found = 0;
  constexpr int kSeeds = 100;
  for (int seed = 0; seed < kSeeds; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    std::normal_distribution<double> noise(0, 0.02);
    const auto pieces = fit_hockney(doubling(1 << 22, [&](double n) {
      return (n <= 16384 ? 2000 + 0.5 * n : 18000 + 0.2 * n) * (1 + noise(random));
    }));
    if (pieces.size() >= 2 && pieces[0].to_bytes == 16384) ++found;
  }
  EXPECT_GE(found, 90);
}

TEST(Hockney, NeitherParameterIsBelowZero) {
  for (const HockneyPiece& piece : fit_hockney(doubling(1024, [](double n) { return 5000 - n; }))) {
    EXPECT_GE(piece.alpha_ns, 0);
    EXPECT_GE(piece.ns_per_byte, 0);
  }
  const auto steep = fit_hockney(doubling(64, [](double n) { return n * n; }));
  for (const HockneyPiece& piece : steep) EXPECT_GE(piece.alpha_ns, 0);
}

TEST(Hockney, ThreeSizesAreTheFewest) {
  EXPECT_TRUE(fit_hockney({}).empty());
  EXPECT_TRUE(fit_hockney(doubling(2, [](double n) { return n; })).empty());
  EXPECT_EQ(fit_hockney(doubling(4, [](double) { return 100.0; })).size(), 1u);
  EXPECT_FALSE(fit_hockney(doubling(4, [](double) { return 100.0; }))[0].half_rate_bytes());
}

TEST(Hockney, ThousandsOfSizesTakeNoTime) {
  std::vector<SizeTime> points;
  for (std::uint64_t size = 1; size <= 2000; ++size)
    points.push_back({size, 1000 + 0.5 * static_cast<double>(size)});
  EXPECT_EQ(fit_hockney(points).size(), 1u);
}

}  // namespace
}  // namespace pairbench
