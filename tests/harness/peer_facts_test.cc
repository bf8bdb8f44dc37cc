#include "harness/peer_facts.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace pairbench {
namespace {

// What is said of the change that is made to honest facts; empty where they are taken.
template <class Facts>
std::string complaint(Facts facts, const std::function<void(Facts&)>& change) {
  change(facts);
  try {
    require_possible(facts);
  } catch (const ProtocolError& error) {
    EXPECT_EQ(error.failure().status, ExitStatus::peer);
    EXPECT_EQ(error.failure().message, "the peer reports what cannot be");
    EXPECT_NE(error.failure().hint, "");
    return error.failure().cause;
  }
  return {};
}

std::string of_counters(const std::function<void(EndCounters&)>& change) {
  EndCounters honest;
  honest.cpu = 3;
  honest.steal_ns = 0;
  honest.frequency_ratio = 1.01;
  honest.minor_page_faults = 7;
  honest.nic = {{{"rx_dropped", 2}}};
  return complaint(honest, change);
}

TEST(RequirePossible, CountersOfAnEnd) {
  EXPECT_EQ(of_counters([](EndCounters&) {}), "");
  EXPECT_EQ(of_counters([](EndCounters& c) { c = {}; }), "");
  EXPECT_EQ(of_counters([](EndCounters& c) { c.steal_ns = -1e300; }), "steal_ns: -1e+300");
  EXPECT_EQ(of_counters([](EndCounters& c) { c.steal_ns = 1e300; }), "steal_ns: 1e+300");
  EXPECT_EQ(of_counters([](EndCounters& c) { c.frequency_ratio = -1; }), "frequency_ratio: -1");
  EXPECT_EQ(of_counters([](EndCounters& c) { c.cpu = -2; }), "cpu: -2");
  EXPECT_EQ(of_counters([](EndCounters& c) {
              c.nic = {{{"a", std::uint64_t{1} << 63}}};
            }),
            "nic.a: 9223372036854775808");
  EXPECT_EQ(of_counters([](EndCounters& c) { c.major_page_faults = UINT64_MAX; }),
            "major_page_faults: 18446744073709551615");
  EXPECT_EQ(of_counters([](EndCounters& c) { c.busy_posts = UINT64_MAX; }),
            "busy_posts: 18446744073709551615");
}

TEST(RequirePossible, NamesThatAreTooLongAreCut) {
  const std::string cause = of_counters([](EndCounters& c) {
    c.nic = {{{std::string(60000, 'x'), UINT64_MAX}}};
  });
  EXPECT_LT(cause.size(), 300u);
}

TEST(RequirePossible, GapsInTheCpusTime) {
  const auto of = [](const std::function<void(std::optional<Detours>&)>& change) {
    return complaint(std::optional(Detours{1e9, 1000, 3, 5000, 9000}), change);
  };
  EXPECT_EQ(of([](auto&) {}), "");
  EXPECT_EQ(of([](auto& detours) { detours.reset(); }), "");
  EXPECT_EQ(of([](auto& detours) { detours->spun_ns = -1; }), "spun_ns: -1");
  EXPECT_EQ(of([](auto& detours) { detours->longest_ns = 1e19; }), "longest_ns: 1e+19");
}

TEST(RequirePossible, AGreeting) {
  const auto of = [](const std::function<void(wire::HelloReply&)>& change) {
    wire::HelloReply honest;
    honest.host.cpus_allowed = "0-3";
    honest.host.numa_cpus = {{{"0", "0-1"}, {"1", "2-3"}}};
    return complaint(honest, change);
  };
  EXPECT_EQ(of([](auto&) {}), "");
  EXPECT_EQ(of([](auto& reply) { reply.clock.quantum_ns = -5; }), "quantum_ns: -5");
  EXPECT_EQ(of([](auto& reply) { reply.clock.ns_per_tick = 1e300; }), "ns_per_tick: 1e+300");
  EXPECT_EQ(of([](auto& reply) { reply.host.cpus_allowed = "all"; }), "cpus_allowed: all");
  EXPECT_EQ(of([](auto& reply) { (*reply.host.numa_cpus)["0"] = "3-1"; }), "numa_cpus: 3-1");
}

}  // namespace
}  // namespace pairbench
