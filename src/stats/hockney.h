// How a time grows with size: T(n) = alpha + n / rate, piecewise. (R. W. Hockney, The communication
// challenge for MPP, Parallel Computing 20 (1994): alpha is the startup time, 1/rate the time a
// byte, n_1/2 = alpha * rate the size that reaches half of the rate.)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pairbench {

struct SizeTime {
  std::uint64_t size_bytes = 0;
  double time_ns = 0;
};

// The sizes `from` to `to`, both measured.
struct HockneyPiece {
  std::uint64_t from_bytes = 0;
  std::uint64_t to_bytes = 0;
  double alpha_ns = 0;
  double ns_per_byte = 0;

  double at(double size_bytes) const { return alpha_ns + ns_per_byte * size_bytes; }
  // n_1/2; nullopt where time does not grow with size.
  std::optional<double> half_rate_bytes() const;
};

// Fits relative errors, by least squares, with neither alpha nor the slope below zero. A further
// piece, of three sizes at least, is taken where it lowers the Bayesian information criterion, that
// is: where the data show a switch of protocol. `points` by size, ascending, times positive; none
// for fewer than three.
std::vector<HockneyPiece> fit_hockney(std::span<const SizeTime> points);

}  // namespace pairbench
