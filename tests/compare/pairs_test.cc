#include "compare/pairs.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "plan/transport_spec.h"
#include "report/samples.h"

namespace pairbench {
namespace {

ResultDocument of_transports(const std::vector<std::string>& names) {
  ResultDocument document;
  for (const auto& name : names)
    document.transports.emplace_back().plan.spec = parse_transport(name);
  return document;
}

using Names = std::vector<std::pair<std::string, std::string>>;

Names names_of(const std::vector<SidePair>& pairs) {
  Names names;
  for (const auto& [baseline, candidate] : pairs)
    names.emplace_back(baseline.name(), candidate.name());
  return names;
}

std::string complaint(std::span<const DocumentOfFile> documents, const std::string& baseline) {
  try {
    pairs_to_compare(documents, baseline);
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().status, ExitStatus::usage);
    return error.failure().message;
  }
  return "none";
}

TEST(Pairs, OfOneDocumentAreAllAgainstTheBaseline) {
  const auto document = of_transports({"a=inproc", "b=libfabric:tcp", "c=libfabric:shm"});
  const std::vector<DocumentOfFile> one = {{&document, "a.json"}};
  EXPECT_EQ(names_of(pairs_to_compare(one, "")), (Names{{"a", "b"}, {"a", "c"}}));
  EXPECT_EQ(names_of(pairs_to_compare(one, "b")), (Names{{"b", "a"}, {"b", "c"}}));
  EXPECT_EQ(names_of(pairs_to_compare(one, "libfabric:shm")), (Names{{"c", "a"}, {"c", "b"}}));
  EXPECT_EQ(complaint(one, "d"), "--baseline: 'd' is no transport of a.json");
}

TEST(Pairs, OfTwoDocumentsAreThoseThatBothHave) {
  const auto older = of_transports({"inproc", "libfabric:tcp"});
  const auto newer = of_transports({"libfabric:tcp", "libfabric:shm"});
  const std::vector<DocumentOfFile> two = {{&older, "a.json"}, {&newer, "b.json"}};
  const auto pairs = pairs_to_compare(two, "");
  EXPECT_EQ(names_of(pairs), (Names{{"libfabric:tcp", "libfabric:tcp"}}));
  EXPECT_EQ(pairs[0].first.document, &older);
  EXPECT_EQ(pairs[0].second.document, &newer);
  EXPECT_NE(complaint(two, "inproc"), "none");
}

TEST(Pairs, OfTwoDocumentsWithOneTransportEachAreThose) {
  const auto older = of_transports({"verbs:rxe0"});
  const auto newer = of_transports({"libfabric:tcp"});
  const std::vector<DocumentOfFile> two = {{&older, "a.json"}, {&newer, "b.json"}};
  EXPECT_EQ(names_of(pairs_to_compare(two, "")), (Names{{"verbs:rxe0", "libfabric:tcp"}}));
}

TEST(Pairs, NeedTwoTransports) {
  const auto single = of_transports({"inproc"});
  const std::vector<DocumentOfFile> one = {{&single, "a.json"}};
  EXPECT_EQ(complaint(one, ""), "a.json: a single transport has nothing to be compared with");
  const auto other = of_transports({"libfabric:tcp", "libfabric:shm"});
  const std::vector<DocumentOfFile> two = {{&single, "a.json"}, {&other, "b.json"}};
  EXPECT_EQ(complaint(two, ""), "the two files share no transport");
}

}  // namespace
}  // namespace pairbench
