#include "plan/json.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "plan/end_counters.h"
#include "plan/json_fields.h"

namespace pairbench {
namespace {

using Json = nlohmann::ordered_json;
using std::chrono::nanoseconds;

// What travels is text: a value must survive writing, parsing, reading and writing again.
template <class T>
T through_text(const T& value) {
  const Json written = value;
  const Json parsed = Json::parse(written.dump());
  T read{};
  decode(parsed, read);
  EXPECT_EQ(Json(read).dump(2), written.dump(2));
  return read;
}

std::string complaint(const std::function<void()>& reading) {
  try {
    reading();
  } catch (const FormatError& error) {
    return error.what();
  }
  return "(no complaint)";
}

HostFacts some_host() {
  HostFacts facts;
  facts.hostname = "nodeA";
  facts.boot_id = "b-1";
  facts.kernel = "6.1.0";
  facts.architecture = "x86_64";
  facts.cpu_model = "Some CPU \"quoted\"";
  facts.cpus_online = 8;
  facts.cpus_allowed = "0-3,8";
  facts.smt_active = false;
  facts.memory_bytes = std::uint64_t{64} << 30;
  facts.memlock_limit_bytes = UINT64_MAX;
  facts.environment = {{"FI_PROVIDER", "tcp"}};
  facts.versions = {{"libfabric", "1.17"}, {"pairbench", "0.1.0"}};
  return facts;
}

TransportSpec some_spec() {
  TransportSpec spec;
  spec.kind = TransportKind::verbs;
  spec.label = "new";
  spec.text = "verbs:mlx5_0,mlx5_1/1/3";
  spec.device = "mlx5_0";
  spec.peer_device = "mlx5_1";
  spec.port = 1;
  spec.gid_index = 3;
  return spec;
}

Case some_case() {
  Case result;
  result.transport = 1;
  result.test = Test::bistream;
  result.size_bytes = std::uint64_t{1} << 33;
  result.window = 64;
  result.signal_interval = 4;
  result.iterations = 4294967306;
  result.duration = std::chrono::milliseconds(50);
  result.warmup = std::chrono::milliseconds(20);
  result.rewarm = std::chrono::milliseconds(4);
  result.check = true;
  return result;
}

Plan some_plan() {
  Plan plan;
  TransportPlan transport;
  transport.spec = some_spec();
  transport.max_message_size = 1 << 20;
  transport.tx_depth = 72;
  transport.rx_depth = 512;
  transport.refill_at = 511;
  transport.recv_slots = 64;
  transport.send_slots = 2;
  transport.inline_limit = UINT64_MAX;
  transport.adjustments = {{"--window", "4096", "2040", "tcp takes 2048 sends"}};
  plan.transports = {transport};
  plan.cases = {some_case(), some_case()};
  plan.cases[1].skipped = "too large";
  plan.repeats = 9;
  plan.seed = UINT64_MAX;
  plan.completion = CompletionMode::event;
  plan.clock = ClockChoice::tsc;
  plan.peer_timeout = std::chrono::seconds(10);
  plan.initiator_cpu = 3;
  plan.responder_cpu = 4;
  plan.adjustments = {{"--signal-every", "8", "1", "no order"}};
  plan.memory_bytes = 1 << 28;
  plan.estimated_time = std::chrono::seconds(20);
  return plan;
}

TEST(PlanJson, FailureGoesByItsExitCode) {
  const Failure failure{
      ExitStatus::no_device, Phase::first_message, "no device", "nodeB", "two\nlines", "try"};
  const Json json = failure;
  EXPECT_EQ(json.dump(),
            R"({"code":4,"phase":")" + std::string(to_string(Phase::first_message)) +
                R"(","host":"nodeB","message":"no device","cause":"two\nlines","hint":"try"})");
  const Failure read = through_text(failure);
  EXPECT_EQ(read.status, ExitStatus::no_device);
  EXPECT_EQ(read.phase, Phase::first_message);
  EXPECT_EQ(read.cause, "two\nlines");
}

TEST(PlanJson, FailureRefusesACodeThatIsNoFailure) {
  for (const int code : {-1, 0, 7}) {
    Json json = Failure{};
    json["code"] = code;
    EXPECT_EQ(complaint([&] { json.get<Failure>(); }),
              "code: the exit status of a failure is needed");
  }
}

// What is read after the member `name` of `value` was set to `number`.
template <class T>
std::string complaint_with(const T& value, const char* name, const Json& number) {
  Json json = value;
  json[name] = number;
  return complaint([&] { json.get<T>(); });
}

TEST(PlanJson, NumbersOutOfTheirRangeAreRefusedByName) {
  const EndCounters counters;
  EXPECT_EQ(complaint_with(counters, "steal_ns", -1e300),
            "steal_ns: a time below 2^63 ns is needed");
  EXPECT_EQ(complaint_with(counters, "steal_ns", -5), "(no complaint)");
  EXPECT_EQ(complaint_with(counters, "nic", {{"rx_dropped", std::uint64_t{1} << 63}}),
            "nic.rx_dropped: a count below 2^63 is needed");
  EXPECT_NE(complaint_with(counters, "nic", {{"rx_dropped", 1e300}}), "(no complaint)");
  EXPECT_EQ(complaint_with(counters, "messages_sent", UINT64_MAX),
            "messages_sent: a count below 2^63 is needed");
  EXPECT_NE(complaint_with(counters, "minor_page_faults", -1), "(no complaint)");
  EXPECT_NE(complaint_with(counters, "cpu", -1), "(no complaint)");
  EXPECT_NE(complaint_with(counters, "frequency_ratio", -0.5), "(no complaint)");
  EXPECT_NE(complaint_with(ClockScale{}, "quantum_ns", -1), "(no complaint)");
  EXPECT_NE(complaint_with(Detours{}, "longest_ns", -1e300), "(no complaint)");
}

TEST(PlanJson, HostFactsThatNoHostHasAreRefusedByName) {
  EXPECT_EQ(complaint_with(some_host(), "cpus_online", -1),
            "cpus_online: a number of CPUs is needed");
  EXPECT_NE(complaint_with(some_host(), "cpus_online", 1e300), "(no complaint)");
  EXPECT_EQ(complaint_with(some_host(), "cpus_allowed", "0-"),
            "cpus_allowed: a list of CPUs is needed");
  EXPECT_EQ(complaint_with(some_host(), "numa_cpus", {{"1", "all"}}),
            "numa_cpus.1: a list of CPUs is needed");
}

TEST(PlanJson, HostFactsKeepUnreadableAsNull) {
  const Json json = some_host();
  EXPECT_TRUE(json.at("microcode").is_null());
  EXPECT_TRUE(json.at("turbo").is_null());
  const HostFacts read = through_text(some_host());
  EXPECT_EQ(read.microcode, std::nullopt);
  EXPECT_EQ(read.smt_active, false);
  EXPECT_EQ(read.memlock_limit_bytes, UINT64_MAX);
  EXPECT_EQ(read.environment, some_host().environment);
  EXPECT_EQ(read.versions, some_host().versions);
}

TEST(PlanJson, ClockScaleKeepsEveryDigit) {
  ClockScale scale;
  scale.source = ClockSource::tsc;
  scale.ns_per_tick = 0.38461538461538464;
  scale.invariant_tsc = true;
  const ClockScale read = through_text(scale);
  EXPECT_EQ(read.source, ClockSource::tsc);
  EXPECT_EQ(read.ns_per_tick, scale.ns_per_tick);
  EXPECT_EQ(read.invariant_tsc, true);
  EXPECT_EQ(read.drift_ppm, std::nullopt);
}

TEST(PlanJson, CapabilitiesKeepTheLargestLimit) {
  Capabilities capabilities;
  capabilities.opened = "libfabric:tcp+ofi_rxm/eth0";
  capabilities.provider = "tcp;ofi_rxm";
  capabilities.link_bits_per_second = 100'000'000'000;
  capabilities.max_tx_depth = 2048;
  capabilities.completions_ordered = true;
  capabilities.send_completion = SendCompletion::delivery;
  capabilities.details = {{"mr_mode", "FI_MR_LOCAL"}};
  const Capabilities read = through_text(capabilities);
  EXPECT_EQ(read.max_message_size, UINT64_MAX);
  EXPECT_EQ(read.provider, "tcp;ofi_rxm");
  EXPECT_EQ(read.send_completion, SendCompletion::delivery);
  EXPECT_EQ(read.numa_node, std::nullopt);
  EXPECT_EQ(read.details, capabilities.details);
}

TEST(PlanJson, TransportSpecIsKeptWhole) {
  EXPECT_EQ(through_text(some_spec()), some_spec());
  EXPECT_EQ(through_text(TransportSpec{}), TransportSpec{});
}

TEST(PlanJson, ConfigOfDefaultsNamesUnsetOptionsAsNull) {
  const Json json = Config{};
  EXPECT_TRUE(json.at("duration_ns").is_null());
  EXPECT_TRUE(json.at("tests").is_null());
  EXPECT_EQ(json.at("inline"), "auto");
  EXPECT_EQ(json.at("peer_timeout_ns"), 10'000'000'000);
  through_text(Config{});
}

TEST(PlanJson, ConfigIsKeptWhole) {
  Config config;
  config.transports = {some_spec(), TransportSpec{}};
  config.preset = Preset::full;
  config.tests = {pairbench::Test::pingpong, pairbench::Test::stream};
  config.sizes = std::vector<std::uint64_t>{0, 8, std::uint64_t{1} << 40};
  config.duration = nanoseconds(1'500'000'000);
  config.warmup_iterations = 0;
  config.repeats = 12;
  config.inline_choice = {.automatic = false, .limit = 64};
  config.completion = CompletionMode::yield;
  config.initiator_cpu = 3;
  config.clock = ClockChoice::raw;
  const Config read = through_text(config);
  EXPECT_EQ(read.transports, config.transports);
  EXPECT_EQ(read.tests, config.tests);
  EXPECT_EQ(read.sizes, config.sizes);
  EXPECT_EQ(read.duration, config.duration);
  EXPECT_EQ(read.warmup_iterations, 0);
  EXPECT_EQ(read.inline_choice, config.inline_choice);
  EXPECT_EQ(read.iterations, std::nullopt);
}

// Every member has a value of its own, so one that is not carried shows.
TEST(PlanJson, PlanIsKeptWhole) {
  const Plan plan = some_plan();
  EXPECT_TRUE(through_text(plan) == plan);
  EXPECT_EQ(through_text(plan).cases[0].warmup_iterations, std::nullopt);
}

TEST(PlanJson, UnknownMembersAreIgnored) {
  Json json = some_case();
  json["invented_later"] = {1, 2, 3};
  EXPECT_EQ(json.get<Case>().size_bytes, some_case().size_bytes);
}

TEST(PlanJson, MissingOptionalIsUnsetAndMissingMemberIsNamed) {
  Json json = some_case();
  json.erase("iterations");
  EXPECT_EQ(json.get<Case>().iterations, std::nullopt);
  json.erase("window");
  EXPECT_EQ(complaint([&] { json.get<Case>(); }), "window: is missing");
}

TEST(PlanJson, ComplaintsNameThePathToTheValue) {
  Json json = some_plan();
  json["cases"][1]["size_bytes"] = -5;
  EXPECT_EQ(complaint([&] { json.get<Plan>(); }),
            "cases[1].size_bytes: a whole number of 0 to 18446744073709551615 is needed");
  json = some_plan();
  json["transports"][0]["adjustments"][0] = "text";
  EXPECT_EQ(complaint([&] { json.get<Plan>(); }),
            "transports[0].adjustments[0]: an object is needed");
}

TEST(PlanJson, NumbersAreNotBentToFit) {
  const auto with = [](const char* key, const Json& value) {
    Json json = some_case();
    json[key] = value;
    return complaint([&] { json.get<Case>(); });
  };
  EXPECT_NE(with("window", 1.5), "(no complaint)");
  EXPECT_NE(with("window", "64"), "(no complaint)");
  EXPECT_NE(with("window", true), "(no complaint)");
  EXPECT_NE(with("window", nullptr), "(no complaint)");
  EXPECT_NE(with("transport", std::uint64_t{1} << 32), "(no complaint)");
  EXPECT_NE(with("duration_ns", UINT64_MAX), "(no complaint)");
  EXPECT_NE(with("check", 1), "(no complaint)");
  EXPECT_EQ(with("window", 65), "(no complaint)");
}

TEST(PlanJson, UnknownNamesListTheKnownOnes) {
  Json json = some_case();
  json["test"] = "pinpong";
  EXPECT_EQ(complaint([&] { json.get<Case>(); }),
            "test: one of pingpong, stream, bistream is needed");
}

TEST(PlanJson, EveryNameIsReadBack) {
  for (const Phase phase :
       {Phase::usage, Phase::device, Phase::connect, Phase::hello, Phase::plan, Phase::open,
        Phase::first_message, Phase::warmup, Phase::measure, Phase::results, Phase::save})
    EXPECT_EQ(through_text(phase), phase);
  for (const Preset preset : {Preset::smoke, Preset::quick, Preset::full})
    EXPECT_EQ(through_text(preset), preset);
  for (const CompletionMode mode :
       {CompletionMode::poll, CompletionMode::yield, CompletionMode::event})
    EXPECT_EQ(through_text(mode), mode);
  for (const SendCompletion completion :
       {SendCompletion::reusable, SendCompletion::transmit, SendCompletion::delivery})
    EXPECT_EQ(through_text(completion), completion);
  for (const ClockChoice choice : {ClockChoice::automatic, ClockChoice::tsc, ClockChoice::raw})
    EXPECT_EQ(through_text(choice), choice);
  for (const TransportKind kind :
       {TransportKind::inproc, TransportKind::libfabric, TransportKind::verbs})
    EXPECT_EQ(through_text(kind), kind);
}

TEST(PlanJson, OptionalsWorkThroughPlainConversions) {
  EXPECT_TRUE(Json(std::optional<int>()).is_null());
  EXPECT_EQ(Json(std::optional<int>(3)), 3);
  EXPECT_EQ(Json(nullptr).get<std::optional<int>>(), std::nullopt);
  EXPECT_EQ(Json(3).get<std::optional<int>>(), 3);
}

}  // namespace
}  // namespace pairbench
