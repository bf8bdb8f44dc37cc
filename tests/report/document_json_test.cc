#include "report/document_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "plan/json_fields.h"
#include "report/json_text.h"
#include "report/samples.h"

namespace pairbench {
namespace {

using Json = nlohmann::ordered_json;

std::string complaint(const std::string& text) {
  try {
    parse_document(text, "r.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().status, ExitStatus::failed);
    EXPECT_EQ(error.failure().phase, Phase::read);
    return error.failure().message;
  }
  return "no complaint";
}

std::string complaint_of(const Json& json) {
  return complaint(json.dump());
}

constexpr ResultDocument (*kDocuments[])() = {samples::two_hosts, samples::two_transports,
                                              samples::sparse, samples::interrupted};

class RoundTrip : public testing::TestWithParam<int> {};

TEST_P(RoundTrip, GivesTheSameDocument) {
  const ResultDocument document = kDocuments[GetParam()]();
  const std::string text = document_text(document);
  const ResultDocument again = parse_document(text, "r.json");
  EXPECT_EQ(document_text(again), text);
  EXPECT_EQ(again.config.transports, document.config.transports);
  for (std::size_t i = 0; i < document.transports.size(); ++i)
    EXPECT_EQ(again.transports[i].plan.spec, document.transports[i].plan.spec);
  for (std::size_t i = 0; i < document.cases.size(); ++i) {
    EXPECT_EQ(again.cases[i].plan.transport, document.cases[i].plan.transport);
    EXPECT_EQ(again.cases[i].plan.skipped, document.cases[i].plan.skipped);
    EXPECT_EQ(again.cases[i].status, document.cases[i].status);
  }
}

INSTANTIATE_TEST_SUITE_P(Documents, RoundTrip, testing::Range(0, 4));

TEST(DocumentJson, KeepsWhatWasMeasured) {
  const ResultDocument document = samples::two_hosts();
  const ResultDocument again = document_from_json(to_document_json(document));
  const RepeatResult& before = document.cases[1].repeats[0];
  const RepeatResult& after = again.cases[1].repeats[0];
  EXPECT_EQ(after.elapsed_ns, before.elapsed_ns);
  EXPECT_EQ(after.first_message_ns, before.first_message_ns);
  EXPECT_EQ(after.latency->rtt_ns.p99, before.latency->rtt_ns.p99);
  EXPECT_FALSE(after.latency->rtt_ns.p99_9);
  EXPECT_EQ(after.latency->histogram, before.latency->histogram);
  EXPECT_EQ(after.initiator.busy_posts, 7u);
  EXPECT_FALSE(after.responder.major_page_faults);
  EXPECT_EQ(again.cases[3].repeats[2].backward->messages_per_second,
            document.cases[3].repeats[2].backward->messages_per_second);
  EXPECT_EQ(again.cases[3].summary.backward_bytes_per_second,
            document.cases[3].summary.backward_bytes_per_second);
  EXPECT_EQ(again.responder_clock->source, ClockSource::raw);
  EXPECT_EQ(again.adjustments.size(), 1u);
  EXPECT_EQ(again.control_address, document.control_address);
  EXPECT_EQ(again.warnings[0].host, "nodeB");
}

TEST(DocumentJson, TimesHaveThreeDecimalsAtMost) {
  ResultDocument document = samples::two_hosts();
  document.cases[1].repeats[0].elapsed_ns = 1.0 / 3;
  const Json json = to_document_json(document);
  EXPECT_EQ(json["cases"][1]["repeats"][0]["elapsed_ns"].dump(), "0.333");
}

TEST(DocumentJson, WhatIsNotFiniteIsNull) {
  ResultDocument document = samples::two_hosts();
  document.cases[1].summary.rtt_ns->p50 = Estimate{std::nan(""), 1, 2};
  document.cases[1].repeats[0].first_message_ns = std::numeric_limits<double>::infinity();
  const Json json = to_document_json(document);
  EXPECT_TRUE(json["cases"][1]["summary"]["rtt_ns"]["p50"].is_null());
  EXPECT_TRUE(json["cases"][1]["repeats"][0]["first_message_ns"].is_null());
  EXPECT_EQ(document_text(document).find("nan"), std::string::npos);
}

TEST(DocumentJson, ALimitThatIsNoneIsNoNumber) {
  const Json json = to_document_json(samples::two_hosts());
  EXPECT_EQ(json["transports"][0]["initiator"]["max_message_size"], "unlimited");
  EXPECT_EQ(json["transports"][0]["plan"]["inline_limit"], "unlimited");
  EXPECT_EQ(json["hosts"]["initiator"]["memlock_limit_bytes"], "unlimited");
  EXPECT_EQ(json.dump().find(std::to_string(UINT64_MAX)), std::string::npos);
  const ResultDocument again = document_from_json(json);
  EXPECT_EQ(again.transports[0].initiator->max_message_size, UINT64_MAX);
  EXPECT_EQ(again.transports[0].plan.inline_limit, UINT64_MAX);
  EXPECT_EQ(again.initiator_host.memlock_limit_bytes, UINT64_MAX);
}

// The keys of an object and of all that it holds, arrays' elements together.
void collect_keys(const Json& json, const std::string& path, std::set<std::string>& keys) {
  if (json.is_array())
    for (const auto& element : json) collect_keys(element, path + "[]", keys);
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items()) {
    keys.insert(path + "." + key);
    collect_keys(value, path + "." + key, keys);
  }
}

TEST(DocumentJson, IterationAndDurationModeHaveTheSameKeys) {
  ResultDocument by_duration = samples::two_hosts();
  ResultDocument by_iterations = by_duration;
  by_iterations.config.iterations = 1000;
  by_iterations.config.duration.reset();
  for (auto& result : by_iterations.cases) {
    result.plan.iterations = 1000;
    result.plan.duration = std::chrono::nanoseconds(0);
  }
  std::set<std::string> expected;
  std::set<std::string> actual;
  collect_keys(to_document_json(by_duration), "", expected);
  collect_keys(to_document_json(by_iterations), "", actual);
  EXPECT_EQ(actual, expected);
}

TEST(DocumentJson, UnknownMembersAreIgnored) {
  Json json = to_document_json(samples::two_hosts());
  json["new"] = 1;
  json["cases"][0]["new"] = {{"a", 1}};
  json["hosts"]["initiator"]["new"] = "x";
  EXPECT_EQ(complaint_of(json), "no complaint");
}

TEST(DocumentJson, OtherVersionsAreRefusedByName) {
  Json json = to_document_json(samples::two_hosts());
  json["schema_version"] = 2;
  EXPECT_EQ(complaint_of(json), "r.json: schema_version 2: this pairbench reads version 1 alone");
  json["schema_version"] = "1";
  EXPECT_NE(complaint_of(json).find("schema_version \"1\""), std::string::npos);
  json.erase("schema_version");
  EXPECT_EQ(complaint_of(json), "r.json: no schema_version: this is no pairbench result");
}

TEST(DocumentJson, ComplaintsNameTheMember) {
  Json json = to_document_json(samples::two_hosts());
  json["cases"][1]["repeats"][2]["elapsed_ns"] = "soon";
  EXPECT_EQ(complaint_of(json), "r.json: cases[1].repeats[2].elapsed_ns: a number is needed");
  json = to_document_json(samples::two_hosts());
  json["cases"][0]["transport"] = "unheard of";
  EXPECT_EQ(complaint_of(json),
            "r.json: cases[0].transport: a label of one of transports[] is needed");
  json = to_document_json(samples::two_hosts());
  json["hosts"].erase("initiator");
  EXPECT_EQ(complaint_of(json), "r.json: hosts.initiator: is missing");
}

TEST(DocumentJson, AHugeBucketIndexTakesNoMemory) {
  Json json = to_document_json(samples::two_hosts());
  json["cases"][1]["repeats"][0]["rtt_histogram"]["index"][0] = 4294967295u;
  EXPECT_NE(complaint_of(json).find("rtt_histogram: histogram buckets"), std::string::npos);
  json = to_document_json(samples::two_hosts());
  json["cases"][1]["repeats"][0]["rtt_histogram"]["precision_bits"] = 40;
  EXPECT_NE(complaint_of(json).find("rtt_histogram.precision_bits"), std::string::npos);
}

TEST(DocumentJson, AHistogramThatContradictsItselfIsRefused) {
  Json json = to_document_json(samples::two_hosts());
  json["cases"][1]["repeats"][0]["rtt_histogram"]["max_ps"] = 1;
  EXPECT_EQ(complaint_of(json),
            "r.json: cases[1].repeats[0].rtt_histogram: a histogram's min or max lies outside its "
            "buckets");
}

TEST(DocumentJson, TheLargestBucketIsRead) {
  ResultDocument document = samples::two_hosts();
  LogHistogram& histogram = document.cases[1].repeats[0].latency->histogram;
  const std::uint64_t count = histogram.count();
  histogram = LogHistogram();
  histogram.add(UINT64_MAX, count);
  EXPECT_EQ(complaint(document_text(document)), "no complaint");
}

TEST(DocumentJson, AMemberOfAWrongTypeGivesACleanErrorAtMost) {
  ResultDocument document = samples::interrupted();
  for (auto& result : document.cases)
    if (result.repeats.size() > 1) result.repeats.resize(1);
  const Json json = to_document_json(document);
  const Json members = json.flatten();
  for (const auto& member : members.items())
    for (const Json& wrong : {Json(Json::array({1})), Json(Json::object()), Json(-1.5), Json(7)}) {
      Json changed = json;
      changed[Json::json_pointer(member.key())] = wrong;
      try {
        document_from_json(changed);
      } catch (const FormatError&) {
      }
    }
}

TEST(DocumentJson, TextsThatAreNoDocument) {
  EXPECT_EQ(complaint(""), "r.json: the file is empty");
  EXPECT_EQ(complaint("# pairbench 0.1.0"), "r.json: this is not JSON");
  EXPECT_EQ(complaint("[]"), "r.json: this is no pairbench result");
  const std::string whole = document_text(samples::two_hosts());
  EXPECT_EQ(complaint(whole.substr(0, whole.size() / 2)), "r.json: this is not JSON");
}

TEST(DocumentJson, AnErrorDocumentCarriesTheFailure) {
  const Failure failure{ExitStatus::peer, Phase::measure, "no data", "nodeB", "it is lost", "look"};
  const std::string text = error_document(failure);
  EXPECT_EQ(text, R"({"schema_version":1,"error":{"code":5,"phase":"measure","host":"nodeB",)"
                  R"("message":"no data","cause":"it is lost","hint":"look"}})"
                  "\n");
  EXPECT_EQ(complaint(text), "r.json: the run gave no result but an error: \"no data\"");
}

TEST(JsonText, KeepsShortThingsOnOneLine) {
  const Json json = {{"a", 1}, {"b", {{"text", std::string(90, 'x')}, {"n", nullptr}}}};
  EXPECT_EQ(readable(json), "{\n \"a\": 1,\n \"b\": {\n  \"text\": \"" + std::string(90, 'x') +
                                "\",\n  \"n\": null\n }\n}");
  EXPECT_EQ(readable(Json(std::vector<int>(100, 7))).find('\n'), std::string::npos);
}

TEST(JsonText, ReadsBackTheSame) {
  const Json json = to_document_json(samples::two_hosts());
  EXPECT_EQ(Json::parse(readable(json)), json);
}

TEST(JsonText, BytesThatAreNoTextDoNotThrow) {
  EXPECT_EQ(one_line(Json("a\xff")), "\"a\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace pairbench
