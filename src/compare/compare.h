// Two transports against each other, over everything that both measured. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/metric.h"
#include "report/document.h"
#include "stats/comparison.h"

namespace pairbench {

// One transport of one document. Both must outlive every comparison made of it.
struct Side {
  const ResultDocument* document = nullptr;
  std::size_t transport = 0;  // index into the document's
  std::string file;

  const std::string& name() const { return document->transports[transport].plan.spec.label; }
  // Of the case that has most.
  std::size_t finished_repeats() const;
  // What the measuring met, and in how many cases: INVOL_CSW, STEAL, …
  std::map<std::string, std::size_t> disturbances() const;
};

// One size. `comparison` and `verdict` are null where the data allow none; `reason` then says why.
struct SizeComparison {
  std::uint64_t size_bytes = 0;
  std::optional<double> baseline;  // headline figures, in the metric's unit
  std::optional<double> candidate;
  std::optional<Comparison> comparison;  // candidate / baseline
  double adjusted_p = 1;                 // Holm's, within the family
  double smallest_effect = 0.01;
  std::optional<Verdict> verdict;
  std::string reason;
};

struct Overall {
  Comparison comparison;
  Verdict verdict;
  std::size_t sizes = 0;  // that it is the mean of
};

// All sizes of one test by one metric: the family within which errors are held at 5 %.
struct Family {
  Test test = Test::pingpong;
  const Metric* metric = nullptr;
  std::optional<Overall> overall;  // of the sizes that have a verdict; geometric mean, one test
  std::vector<SizeComparison> sizes;
};

// One part of a ping-pong's round trip, in ns, and how much longer it takes on the candidate.
struct PartComparison {
  std::string_view part;  // "post_send", "post_recv", "poll", "wait"
  double baseline_ns = 0;
  double candidate_ns = 0;
  Estimate difference_ns;
};

struct SplitComparison {
  std::uint64_t size_bytes = 0;
  std::vector<PartComparison> parts;
};

// A case that only one side has, or that the other did not finish.
struct Missing {
  Test test = Test::pingpong;
  std::uint64_t size_bytes = 0;
  std::string reason;  // empty: it was not asked for
};

// Something of set-up or environment that is not the same on both sides.
struct Difference {
  std::string what;  // "hosts.initiator.kernel"
  std::string baseline;
  std::string candidate;
};

struct TransportComparison {
  Side baseline;
  Side candidate;
  bool paired = false;  // of one document: repeats were measured side by side
  std::vector<Family> families;
  std::vector<SplitComparison> split;  // where both sides have one
  std::vector<Missing> only_in_baseline;
  std::vector<Missing> only_in_candidate;
  std::vector<Difference> differences;
};

// Repeats are the unit of inference. Sides of one document are compared by repeat, others by their
// repeats' medians. No verdict for a size whose case is of grade C on a side, was measured
// differently (window, two hosts), or has too few repeats for any difference to be shown.
TransportComparison compare(const Side& baseline, const Side& candidate,
                            std::span<const Metric* const> metrics);

}  // namespace pairbench
