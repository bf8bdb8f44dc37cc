#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "plan/plan.h"

namespace pairbench {
namespace {

// std::shuffle's result is the library's own affair; this one is the same everywhere.
template <class T>
void shuffle(std::vector<T>& items, std::mt19937_64& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
}

// Apart: of a sum, the next seed's first repeat would have this one's second order.
std::mt19937_64 generator_of(std::uint64_t seed, int repeat) {
  std::seed_seq both{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                     static_cast<std::uint32_t>(repeat)};
  return std::mt19937_64(both);
}

}  // namespace

std::vector<std::size_t> case_order(const Plan& plan, int repeat) {
  std::map<std::pair<Test, std::uint64_t>, std::vector<std::size_t>> by_key;
  for (std::size_t i = 0; i < plan.cases.size(); ++i)
    if (plan.cases[i].runs()) by_key[{plan.cases[i].test, plan.cases[i].size_bytes}].push_back(i);

  std::vector<std::vector<std::size_t>> groups;
  for (auto& [key, members] : by_key) groups.push_back(std::move(members));
  std::mt19937_64 random = generator_of(plan.seed, repeat);
  shuffle(groups, random);

  std::vector<std::size_t> order;
  for (auto& group : groups) {
    const auto by = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(repeat) % group.size());
    std::rotate(group.begin(), group.begin() + by, group.end());
    order.insert(order.end(), group.begin(), group.end());
  }
  return order;
}

}  // namespace pairbench
