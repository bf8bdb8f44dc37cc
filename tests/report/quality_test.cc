#include "report/quality.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/nic_counters.h"
#include "report/samples.h"

namespace pairbench {
namespace {

using samples::kPingpong;
using samples::kStream;

// Two hosts without a fault.
ResultDocument good() {
  ResultDocument document = samples::two_hosts();
  document.pinned_cpu = 4;
  document.responder_pinned_cpu = 5;
  for (TransportResult& transport : document.transports) {
    transport.initiator->software = false;
    transport.responder->software = false;
  }
  for (CaseResult& result : document.cases)
    for (RepeatResult& repeat : result.repeats) {
      repeat.initiator.involuntary_context_switches = 0;
      repeat.initiator.major_page_faults = 0;
      repeat.initiator.minor_page_faults = 0;
      repeat.initiator.frequency_ratio = 1;
      repeat.initiator.nic = NicCounters{};
      repeat.elapsed_ns = 50e6;
    }
  document.detours.reset();
  return document;
}

using Change = std::function<void(ResultDocument&)>;

Change everywhere(const std::function<void(EndCounters&)>& change) {
  return [change](ResultDocument& document) {
    for (CaseResult& result : document.cases)
      for (RepeatResult& repeat : result.repeats) change(repeat.responder);
  };
}

struct Fault {
  const char* flag;
  Grade grade;
  std::size_t case_index;
  const char* host;
  Change change;
};

void add_probe_effect(ResultDocument& document, double effect_ns) {
  auto& rtt = *document.cases[kPingpong].summary.rtt_ns;
  rtt.batch_mean = Estimate{1000, {}, {}};
  rtt.probe_effect = Estimate{effect_ns + 5, effect_ns, effect_ns + 10};
}

const Fault kFaults[] = {
    {"CHECKED", Grade::c, kPingpong, "",
     [](ResultDocument& d) { d.cases[kPingpong].plan.check = true; }},
    {"FAILED", Grade::c, kPingpong, "",
     [](ResultDocument& d) { d.cases[kPingpong].status = CaseStatus::failed; }},
    {"NO_STEADY", Grade::c, kStream, "",
     [](ResultDocument& d) { d.cases[kStream].repeats[3].forward->steady = false; }},
    {"PROBE_5", Grade::c, kPingpong, "", [](ResultDocument& d) { add_probe_effect(d, 51); }},
    {"PROBE", Grade::b, kPingpong, "", [](ResultDocument& d) { add_probe_effect(d, 11); }},
    {"NOT_CONVERGED", Grade::b, kPingpong, "",
     [](ResultDocument& d) {
       for (std::size_t i = 0; i < 5; ++i) d.cases[kPingpong].repeats[i].latency->converged = false;
     }},
    {"SHARED_CPU", Grade::b, kPingpong, "",
     [](ResultDocument& d) {
       d.transports[0].one_host = true;
       d.pinned_cpu = d.responder_pinned_cpu = 0;
     }},
    {"CLOCK_DRIFT", Grade::b, kPingpong, "", [](ResultDocument& d) { d.clock->drift_ppm = -2; }},
    {"SOFTWARE_PROVIDER", Grade::b, kPingpong, "",
     [](ResultDocument& d) { d.transports[0].initiator->software = true; }},
    {"ONE_HOST", Grade::b, kPingpong, "",
     [](ResultDocument& d) { d.transports[0].one_host = true; }},
    {"STEAL", Grade::b, kPingpong, "nodeB", everywhere([](EndCounters& c) { c.steal_ns = 1e6; })},
    {"INVOL_CSW", Grade::b, kPingpong, "nodeB",
     everywhere([](EndCounters& c) { c.involuntary_context_switches = 2; })},
    {"PAGE_FAULT", Grade::b, kPingpong, "nodeB",
     everywhere([](EndCounters& c) { c.minor_page_faults = 17; })},
    {"PAGE_FAULT", Grade::b, kPingpong, "nodeB",
     everywhere([](EndCounters& c) { c.major_page_faults = 1; })},
    {"DETOUR", Grade::b, kPingpong, "nodeA",
     [](ResultDocument& d) {
       d.detours = Detours{1e9, 1000, 2000, 20000, 6e6};
     }},
    {"DETOUR", Grade::b, kPingpong, "nodeB",
     [](ResultDocument& d) {
       d.responder_detours = Detours{1e9, 1000, 1, 2e6, 2e6};
     }},
    {"FREQ_DRIFT", Grade::b, kPingpong, "nodeB",
     everywhere([](EndCounters& c) { c.frequency_ratio = 0.9; })},
    {"NUMA_REMOTE", Grade::b, kPingpong, "nodeB",
     [](ResultDocument& d) {
       d.transports[0].responder->numa_node = 1;
       d.responder_host->numa_cpus->emplace("1", "8-15");
     }},
    {"UNPINNED", Grade::b, kPingpong, "nodeB",
     [](ResultDocument& d) { d.responder_pinned_cpu.reset(); }},
    {"RNR", Grade::b, kPingpong, "nodeB", everywhere([](EndCounters& c) {
       c.nic = NicCounters{{"rcvd_rnr_err", 1}};
     })},
    {"NET_RETRANS", Grade::b, kPingpong, "nodeB", everywhere([](EndCounters& c) {
       c.nic = NicCounters{{"tcp_retransmitted_segments", 1}};
     })},
};

std::vector<std::string> codes(const ResultDocument& document) {
  std::vector<std::string> all;
  for (const Warning& warning : document.warnings) all.push_back(warning.code);
  return all;
}

TEST(Quality, IsAWhereNothingIsToBeSaid) {
  ResultDocument document = good();
  assess(document);
  EXPECT_EQ(codes(document), std::vector<std::string>{});
  for (const CaseResult& result : document.cases) {
    ASSERT_EQ(result.quality.has_value(), !result.repeats.empty());
    EXPECT_EQ(result.quality.value_or(Quality{}), Quality{});
  }
}

TEST(Quality, RaisesEachFlagForItsFault) {
  for (const Fault& fault : kFaults) {
    SCOPED_TRACE(fault.flag);
    ResultDocument document = good();
    fault.change(document);
    assess(document);
    const Quality& quality = *document.cases[fault.case_index].quality;
    EXPECT_EQ(std::count(quality.flags.begin(), quality.flags.end(), fault.flag), 1);
    EXPECT_EQ(quality.grade, fault.grade);
    const auto warning = std::find_if(document.warnings.begin(), document.warnings.end(),
                                      [&](const Warning& w) { return w.code == fault.flag; });
    ASSERT_NE(warning, document.warnings.end());
    EXPECT_EQ(warning->host, fault.host);
    EXPECT_EQ(warning->message.find('{'), std::string::npos) << warning->message;
  }
}

TEST(Quality, WhatIsUnreadableRaisesNothing) {
  ResultDocument document = good();
  for (CaseResult& result : document.cases)
    for (RepeatResult& repeat : result.repeats) {
      repeat.initiator = EndCounters{};
      repeat.responder = EndCounters{};
    }
  document.initiator_host.numa_cpus.reset();
  document.clock.reset();
  assess(document);
  EXPECT_EQ(codes(document), std::vector<std::string>{});
}

TEST(Quality, NoiseAloneIsNoProbeEffect) {
  ResultDocument document = good();
  add_probe_effect(document, 20);
  document.cases[kPingpong].summary.rtt_ns->probe_effect->low = -100;
  assess(document);
  EXPECT_EQ(codes(document), std::vector<std::string>{});
}

TEST(Quality, OfTooFewRepeatsForAnIntervalAllHaveToShowAProbeEffect) {
  ResultDocument document = good();
  CaseResult& result = document.cases[kPingpong];
  result.repeats.resize(2);
  for (RepeatResult& repeat : result.repeats)
    repeat.latency->probe = ProbeFigures{20, 6, 1000, Estimate{80, 60, 90}};
  summarize(result);
  ASSERT_FALSE(result.summary.rtt_ns->probe_effect->low.has_value());
  assess(document);
  EXPECT_EQ(codes(document), std::vector<std::string>{"PROBE_5"});
  result.repeats[1].latency->probe->effect_ns.low = -5;
  assess(document);
  EXPECT_EQ(codes(document), std::vector<std::string>{});
}

TEST(Quality, CountsTheCasesAndPutsTheGravestFirst) {
  ResultDocument document = good();
  document.responder_pinned_cpu.reset();
  document.transports[0].one_host = true;
  document.cases[kPingpong].plan.check = true;
  assess(document);
  EXPECT_EQ(codes(document), (std::vector<std::string>{"CHECKED", "UNPINNED", "ONE_HOST"}));
  EXPECT_NE(document.warnings[0].message.find("1 case "), std::string::npos);
  EXPECT_EQ(document.cases[kPingpong].quality->grade, Grade::c);
  EXPECT_EQ(document.cases[kStream].quality->grade, Grade::b);
}

TEST(Quality, IsTheSameWhenAssessedAgain) {
  ResultDocument document = good();
  document.responder_pinned_cpu.reset();
  assess(document);
  const auto once = codes(document);
  assess(document);
  EXPECT_EQ(codes(document), once);
}

}  // namespace
}  // namespace pairbench
