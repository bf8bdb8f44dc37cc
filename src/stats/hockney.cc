#include "stats/hockney.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pairbench {
namespace {

constexpr std::size_t kFewest = 3;  // sizes of a piece
constexpr std::size_t kMostPieces = 4;
// Each piece has two parameters and a place where it begins, which counts as two more: it is chosen
// among many.
constexpr double kParameters = 4;
// Below such a relative error a fit is as good as any.
constexpr double kFinestError = 0.002;

// Sums over points of products of x = 1 / t, y = n / t and 1.
struct Moments {
  double xx = 0, xy = 0, yy = 0, x = 0, y = 0, count = 0;

  void add(const SizeTime& point) {
    const double px = 1 / point.time_ns;
    const double py = static_cast<double>(point.size_bytes) / point.time_ns;
    xx += px * px;
    xy += px * py;
    yy += py * py;
    x += px;
    y += py;
    count += 1;
  }
  Moments without(const Moments& m) const {
    return {xx - m.xx, xy - m.xy, yy - m.yy, x - m.x, y - m.y, count - m.count};
  }
};

struct Line {
  double alpha_ns = 0;
  double ns_per_byte = 0;
};

// Least squares of alpha * x + slope * y = 1. A negative parameter is held at zero.
Line line_of(const Moments& m) {
  const double determinant = m.xx * m.yy - m.xy * m.xy;
  if (determinant <= 0) return {m.x / m.xx, 0};
  const Line line{(m.x * m.yy - m.y * m.xy) / determinant, (m.y * m.xx - m.x * m.xy) / determinant};
  if (line.ns_per_byte < 0) return {m.x / m.xx, 0};
  if (line.alpha_ns < 0) return {0, m.y / m.yy};
  return line;
}

// Of the relative errors.
double squares_of(const Line& line, const Moments& m) {
  const double a = line.alpha_ns;
  const double b = line.ns_per_byte;
  return std::max(
      0.0, a * a * m.xx + 2 * a * b * m.xy + b * b * m.yy - 2 * a * m.x - 2 * b * m.y + m.count);
}

// The best partition of the points before `end` into so many pieces ends with the piece that begins
// at `start`.
struct Cell {
  double squares = std::numeric_limits<double>::infinity();
  std::size_t start = 0;
};

class Partitions {
 public:
  explicit Partitions(std::span<const SizeTime> points)
      : points_(points),
        sums_(points.size() + 1),
        best_(kMostPieces + 1, std::vector<Cell>(points.size() + 1)) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      sums_[i + 1] = sums_[i];
      sums_[i + 1].add(points[i]);
    }
    best_[0][0].squares = 0;
    for (std::size_t end = kFewest; end <= points.size(); ++end)
      for (std::size_t start = 0; start + kFewest <= end; ++start) extend(start, end);
  }

  // The Bayesian information criterion of so many pieces.
  double criterion(std::size_t pieces) const {
    const auto n = static_cast<double>(points_.size());
    const double mean = best_[pieces][points_.size()].squares / n + kFinestError * kFinestError;
    return n * std::log(mean) + kParameters * static_cast<double>(pieces) * std::log(n);
  }

  std::vector<HockneyPiece> pieces(std::size_t count) const {
    std::vector<HockneyPiece> out;
    std::size_t end = points_.size();
    for (std::size_t k = count; k > 0; --k) {
      const std::size_t start = best_[k][end].start;
      out.push_back(piece(start, end));
      end = start;
    }
    std::reverse(out.begin(), out.end());
    return out;
  }

 private:
  HockneyPiece piece(std::size_t start, std::size_t end) const {
    const Line line = line_of(sums_[end].without(sums_[start]));
    const std::uint64_t largest = points_[end - 1].size_bytes;
    const double growth = line.ns_per_byte * static_cast<double>(largest);
    const bool grows = growth > kFinestError * line.alpha_ns;
    return {points_[start].size_bytes, largest, line.alpha_ns, grows ? line.ns_per_byte : 0};
  }

  void extend(std::size_t start, std::size_t end) {
    const Moments m = sums_[end].without(sums_[start]);
    const double squares = squares_of(line_of(m), m);
    for (std::size_t k = 1; k <= kMostPieces; ++k) {
      const double sum = best_[k - 1][start].squares + squares;
      if (sum < best_[k][end].squares) best_[k][end] = {sum, start};
    }
  }

  std::span<const SizeTime> points_;
  std::vector<Moments> sums_;  // of the points before each place
  std::vector<std::vector<Cell>> best_;
};

}  // namespace

std::optional<double> HockneyPiece::half_rate_bytes() const {
  if (ns_per_byte <= 0) return std::nullopt;
  return alpha_ns / ns_per_byte;
}

std::vector<HockneyPiece> fit_hockney(std::span<const SizeTime> points) {
  if (points.size() < kFewest) return {};
  const Partitions partitions(points);
  std::size_t chosen = 1;
  for (std::size_t pieces = 2; pieces <= kMostPieces; ++pieces)
    if (partitions.criterion(pieces) < partitions.criterion(chosen)) chosen = pieces;
  return partitions.pieces(chosen);
}

}  // namespace pairbench
