#include "compare/pairs.h"

#include <fmt/format.h>

#include "base/error.h"

namespace pairbench {
namespace {

std::vector<Side> sides_of(const DocumentOfFile& of) {
  std::vector<Side> sides;
  for (std::size_t i = 0; i < of.document->transports.size(); ++i)
    sides.push_back({of.document, i, of.file});
  return sides;
}

std::string names_of(std::span<const Side> sides) {
  std::string names;
  for (const Side& side : sides) names += (names.empty() ? "" : ", ") + side.name();
  return names;
}

// What -t was given, or the label.
bool is_named(const Side& side, const std::string& name) {
  return side.name() == name || side.document->transports[side.transport].plan.spec.text == name;
}

std::size_t position_of(std::span<const Side> sides, const std::string& name) {
  for (std::size_t i = 0; i < sides.size(); ++i)
    if (is_named(sides[i], name)) return i;
  throw_usage(fmt::format("--baseline: '{}' is no transport of {}", name, sides.front().file),
              "it has " + names_of(sides));
}

std::vector<SidePair> within_one(const DocumentOfFile& of, const std::string& baseline) {
  const std::vector<Side> sides = sides_of(of);
  if (sides.size() < 2)
    throw_usage(of.file + ": a single transport has nothing to be compared with",
                "give a second file, or measure several: pairbench run HOST -t A -t B");
  const std::size_t first = baseline.empty() ? 0 : position_of(sides, baseline);
  std::vector<SidePair> pairs;
  for (std::size_t i = 0; i < sides.size(); ++i)
    if (i != first) pairs.emplace_back(sides[first], sides[i]);
  return pairs;
}

std::vector<SidePair> between_two(const DocumentOfFile& older, const DocumentOfFile& newer) {
  const std::vector<Side> a = sides_of(older);
  const std::vector<Side> b = sides_of(newer);
  std::vector<SidePair> pairs;
  for (const Side& baseline : a)
    for (const Side& candidate : b)
      if (baseline.name() == candidate.name()) pairs.emplace_back(baseline, candidate);
  if (pairs.empty() && a.size() == 1 && b.size() == 1) pairs.emplace_back(a[0], b[0]);
  if (pairs.empty())
    throw_usage(
        "the two files share no transport",
        fmt::format("{} has {}; {} has {}", older.file, names_of(a), newer.file, names_of(b)));
  return pairs;
}

}  // namespace

std::vector<SidePair> pairs_to_compare(std::span<const DocumentOfFile> documents,
                                       const std::string& baseline) {
  if (documents.size() == 1) return within_one(documents[0], baseline);
  if (!baseline.empty())
    throw_usage("--baseline chooses within one file; of two, the first is the baseline");
  return between_two(documents[0], documents[1]);
}

}  // namespace pairbench
