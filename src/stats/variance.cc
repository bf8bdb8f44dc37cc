#include "stats/variance.h"

#include <algorithm>
#include <numeric>

namespace pairbench {
namespace {

struct Group {
  double count = 0;
  double mean = 0;
  double squares = 0;  // of deviations from the mean
};

Group group_of(const std::vector<double>& values) {
  Group group;
  group.count = static_cast<double>(values.size());
  group.mean = std::accumulate(values.begin(), values.end(), 0.0) / group.count;
  for (const double value : values) group.squares += (value - group.mean) * (value - group.mean);
  return group;
}

}  // namespace

std::optional<VarianceParts> variance_parts(std::span<const std::vector<double>> groups) {
  std::vector<Group> filled;
  for (const auto& values : groups) {
    if (!values.empty()) filled.push_back(group_of(values));
  }
  double count = 0, sum = 0, counts_squared = 0, squares_within = 0;
  for (const Group& group : filled) {
    count += group.count;
    sum += group.count * group.mean;
    counts_squared += group.count * group.count;
    squares_within += group.squares;
  }
  const auto number = static_cast<double>(filled.size());
  if (filled.size() < 2 || count == number) return std::nullopt;
  double squares_between = 0;
  for (const Group& group : filled) {
    const double deviation = group.mean - sum / count;
    squares_between += group.count * deviation * deviation;
  }
  const double within = squares_within / (count - number);
  const double typical_size = (count - counts_squared / count) / (number - 1);
  const double between = (squares_between / (number - 1) - within) / typical_size;
  return VarianceParts{std::max(0.0, between), within};
}

}  // namespace pairbench
