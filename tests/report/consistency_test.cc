#include "report/consistency.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "plan/json_fields.h"
#include "report/document_json.h"
#include "report/partial.h"
#include "report/samples.h"

namespace pairbench {
namespace {

using samples::kBistream;
using samples::kPingpong;
using samples::kSkipped;
using samples::kStream;

using Change = std::function<void(ResultDocument&)>;

std::string complaint_after(const Change& change) {
  ResultDocument document = samples::two_hosts();
  change(document);
  try {
    require_consistent(document);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "none";
}

// A change to the second repeat of a case, and the end of the complaint about it.
std::string complaint_of(std::size_t index, const std::function<void(RepeatResult&)>& change) {
  const std::string said =
      complaint_after([&](ResultDocument& d) { change(d.cases[index].repeats[1]); });
  const std::string path = "cases[" + std::to_string(index) + "].";
  const std::size_t at = said.find(path);
  return at == std::string::npos ? said : said.substr(at + path.size());
}

std::string complaint_of_rtt(const std::function<void(QuantileSet&)>& change) {
  return complaint_of(kPingpong, [&](RepeatResult& r) { change(r.latency->rtt_ns); });
}

TEST(Consistency, TakesWhatIsWritten) {
  for (const auto& document :
       {samples::two_hosts(), samples::two_transports(), samples::sparse(), samples::interrupted()})
    EXPECT_NO_THROW(require_consistent(document));
}

TEST(Consistency, NamesTheCaseAndTheMember) {
  EXPECT_EQ(complaint_after([](ResultDocument& d) {
              d.cases[kPingpong].repeats[1].latency->rtt_ns.p50 = Estimate{-3, {}, {}};
            }),
            "pingpong of 8 bytes over libfabric:tcp: cases[1].repeats[1].rtt_ns.p50.value: -3 is "
            "not within 0 to 9.223372036854776e+18");
}

TEST(Consistency, RefusesTimesThatCannotBe) {
  EXPECT_EQ(complaint_of(kPingpong, [](RepeatResult& r) { r.elapsed_ns = -1; }),
            "repeats[1].elapsed_ns: -1 is not within 0 to 9.223372036854776e+18");
  EXPECT_EQ(complaint_of(kPingpong, [](RepeatResult& r) { r.first_message_ns = 1e300; }),
            "repeats[1].first_message_ns: 1e+300 is not within 0 to 9.223372036854776e+18");
  EXPECT_NE(complaint_of_rtt([](QuantileSet& q) { q.stall_time_share = 1.5; }), "none");
  EXPECT_NE(complaint_of_rtt([](QuantileSet& q) { q.max->value = 1e300; }), "none");
  EXPECT_NE(complaint_of(kPingpong, [](RepeatResult& r) { r.latency->split->wait_ns = -1; }),
            "none");
  EXPECT_NE(complaint_of(kPingpong, [](RepeatResult& r) { r.latency->probe->chunk = 0; }), "none");
  EXPECT_NE(complaint_of(kPingpong, [](RepeatResult& r) { r.latency->largest[1].index = 1000; }),
            "none");
  EXPECT_NE(complaint_of(kStream, [](RepeatResult& r) { r.forward->interval_ns = -1; }), "none");
}

TEST(Consistency, RefusesIntervalsThatDoNotHoldTheirValue) {
  EXPECT_EQ(complaint_of_rtt([](QuantileSet& q) { q.p50->low = q.p50->value + 11; }),
            "repeats[1].rtt_ns.p50: its low, 30275, is above its high, 30274");
  EXPECT_EQ(complaint_of_rtt([](QuantileSet& q) { q.p50->low = q.p50->value + 1; }),
            "repeats[1].rtt_ns.p50: its value, 30264, is not between its low and its high");
  EXPECT_NE(complaint_of_rtt([](QuantileSet& q) { q.p50->high = -1; }), "none");
  const auto swapped = [](ResultDocument& d) {
    Estimate& p50 = *d.cases[kPingpong].summary.rtt_ns->p50;
    std::swap(p50.low, p50.high);
  };
  EXPECT_EQ(complaint_after(swapped),
            "pingpong of 8 bytes over libfabric:tcp: cases[1].summary.rtt_ns.p50: its low, 32136, "
            "is above its high, 30264");
  EXPECT_NE(complaint_of(kPingpong,
                         [](RepeatResult& r) {
                           r.latency->probe->effect_ns = Estimate{2, 5, -1};
                         }),
            "none");
}

TEST(Consistency, RefusesQuantilesThatDescend) {
  EXPECT_EQ(complaint_of_rtt([](QuantileSet& q) {
              q.p99 = Estimate{30265, {}, {}};
            }),
            "repeats[1].rtt_ns.p99: 30265 is below 31264 of p90");
  EXPECT_EQ(complaint_of_rtt([](QuantileSet& q) {
              q.p90.reset();
              q.p99.reset();
              q.max = Estimate{30000, {}, {}};
            }),
            "repeats[1].rtt_ns.max: 30000 is below 30264 of p50");
  EXPECT_NE(complaint_of_rtt([](QuantileSet& q) { q.mean = Estimate{1, {}, {}}; }), "none");
}

TEST(Consistency, RefusesCountsThatDoNotBelongToEachOther) {
  EXPECT_EQ(complaint_of_rtt([](QuantileSet& q) { q.count = 999; }),
            "repeats[1].messages: 1000, but 999 were timed");
  EXPECT_NE(complaint_of(kPingpong, [](RepeatResult& r) { r.latency->histogram.add(1); }), "none");
  EXPECT_EQ(complaint_of(kPingpong, [](RepeatResult& r) { ++r.responder.messages_received; }),
            "repeats[1].responder.messages_received: 1001, but 1000 were sent by the initiator");
  EXPECT_NE(complaint_of(kPingpong, [](RepeatResult& r) { --r.initiator.messages_received; }),
            "none");
  const auto all_bytes = [](RepeatResult& r) {
    r.initiator.bytes_sent = r.responder.bytes_received = 7;
  };
  EXPECT_EQ(complaint_of(kPingpong, all_bytes),
            "repeats[1].initiator.bytes_sent: 7 are not 1000 messages of 8");
  EXPECT_NE(complaint_of(kStream, [](RepeatResult& r) { r.messages = 2001; }), "none");
  EXPECT_EQ(complaint_of(kStream, [](RepeatResult& r) { r.forward->interval_messages = 1001; }),
            "repeats[1].forward.interval_messages: 1001 of 1000 that were received");
  EXPECT_NE(complaint_of(kStream, [](RepeatResult& r) { r.forward->interval_bytes += 1; }), "none");
}

TEST(Consistency, RefusesRatesThatAreNotTheirInterval) {
  EXPECT_EQ(complaint_of(kStream, [](RepeatResult& r) { r.forward->interval_ns = {}; }),
            "repeats[1].forward.delivered_bytes_per_second: there is no interval for it");
  EXPECT_NE(complaint_of(kStream, [](RepeatResult& r) { *r.forward->messages_per_second *= 1.01; }),
            "none");
  EXPECT_NE(complaint_of(kBistream,
                         [](RepeatResult& r) { r.backward->delivered_bytes_per_second = 1e308; }),
            "none");
}

TEST(Consistency, ATestHasItsOwnFiguresAndNoOthers) {
  EXPECT_EQ(complaint_of(kPingpong, [](RepeatResult& r) { r.latency.reset(); }),
            "repeats[1].rtt_ns: a pingpong needs it");
  EXPECT_EQ(complaint_of(kStream, [](RepeatResult& r) { r.backward = r.forward; }),
            "repeats[1].backward: a stream has no such figures");
  EXPECT_NE(complaint_of(kBistream, [](RepeatResult& r) { r.backward.reset(); }), "none");
}

TEST(Consistency, ASummaryIsOfItsRepeats) {
  EXPECT_EQ(complaint_after([](ResultDocument& d) {
              d.cases[kPingpong].summary.rtt_ns->p50 = Estimate{5, {}, {}};
            }),
            "pingpong of 8 bytes over libfabric:tcp: cases[1].summary.rtt_ns.p50: 5 is not within "
            "29952 to 32448, as the repeats are");
  EXPECT_EQ(complaint_after([](ResultDocument& d) {
              d.cases[kSkipped].summary.messages_per_second = Estimate{1, {}, {}};
            }),
            "stream of 1048576 bytes over libfabric:tcp: cases[4].summary.messages_per_second: no "
            "repeat has this figure");
}

TEST(Consistency, CasesAndTransportsAreThereOnce) {
  EXPECT_EQ(complaint_after([](ResultDocument& d) { d.cases.push_back(d.cases[kPingpong]); }),
            "pingpong of 8 bytes over libfabric:tcp: cases[7]: cases[1] is the same");
  EXPECT_EQ(complaint_after([](ResultDocument& d) { d.transports.push_back(d.transports[0]); }),
            "transports[1].label: libfabric:tcp is there twice");
}

std::string complaint_of_numbers(bool complete, std::vector<int> numbers) {
  const std::string said = complaint_after([&](ResultDocument& d) {
    d.run.complete = complete;
    auto& repeats = d.cases[kPingpong].repeats;
    repeats.resize(numbers.size(), repeats[0]);
    for (std::size_t i = 0; i < numbers.size(); ++i) repeats[i].repeat = numbers[i];
    summarize(d.cases[kPingpong]);
  });
  const std::size_t at = said.find("repeats: ");
  return at == std::string::npos ? said : said.substr(at);
}

TEST(Consistency, RepeatsAreNumbered) {
  EXPECT_EQ(complaint_of_numbers(true, {2, 0, 1, 8, 7, 6, 5, 4, 3}), "none");
  EXPECT_EQ(complaint_of_numbers(true, {2, 0, 1}),
            "repeats: number 3 is missing in a run that is complete");
  EXPECT_EQ(complaint_of_numbers(true, {0, 1, 1}), "repeats: number 1 is there twice");
  EXPECT_EQ(complaint_of_numbers(true, {0, 2}),
            "repeats: number 1 is missing in a run that is complete");
  EXPECT_EQ(complaint_of_numbers(false, {0, 2}), "none");
  EXPECT_EQ(complaint_of_numbers(false, {0, 9}), "repeats: number 9 of a run of 9");
  EXPECT_EQ(complaint_of_numbers(false, {-1}), "repeats: number -1 of a run of 9");
}

TEST(Consistency, RepeatsAreThereAsTheStatusSays) {
  EXPECT_EQ(complaint_of_numbers(false, {}), "repeats: there is none of a case that is ok");
  EXPECT_NE(
      complaint_after([](ResultDocument& d) { d.cases[kPingpong].status = CaseStatus::skipped; }),
      "none");
}

TEST(Consistency, TheRunIsOneThatCanBe) {
  EXPECT_EQ(complaint_after([](ResultDocument& d) { d.repeats = 0; }),
            "run.repeats: 0 is no number of repeats");
  EXPECT_EQ(complaint_after([](ResultDocument& d) { d.run.failure.emplace(); }),
            "run.failure: there is one of a run that is complete");
}

std::string complaint_of_text(const std::string& text) {
  try {
    is_partial(text) ? parse_partial(text, "r.json") : parse_document(text, "r.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().status, ExitStatus::failed);
    EXPECT_EQ(error.failure().phase, Phase::read);
    return error.failure().message;
  }
  return "none";
}

TEST(Consistency, IsWhatADocumentIsReadFor) {
  ResultDocument document = samples::two_hosts();
  document.cases[kPingpong].repeats[1].messages = 1;
  EXPECT_EQ(complaint_of_text(document_text(document)),
            "r.json: pingpong of 8 bytes over libfabric:tcp: cases[1].repeats[1].messages: 1, but "
            "1000 were timed");
}

TEST(Consistency, IsWhatAPartialIsReadFor) {
  const RepeatResult repeat = samples::two_hosts().cases[kPingpong].repeats[0];
  ResultDocument planned = samples::two_hosts();
  for (CaseResult& result : planned.cases) {
    result.repeats.clear();
    if (result.status == CaseStatus::ok) result.status = CaseStatus::not_run;
  }
  const std::string once = partial_header(planned) + partial_repeat(kPingpong, repeat);
  EXPECT_EQ(complaint_of_text(once), "none");
  EXPECT_EQ(complaint_of_text(once + partial_repeat(kPingpong, repeat)),
            "r.json: pingpong of 8 bytes over libfabric:tcp: cases[1].repeats: number 0 is there "
            "twice");
}

}  // namespace
}  // namespace pairbench
