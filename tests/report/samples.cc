#include "report/samples.h"

#include <cmath>

#include "base/nic_counters.h"
#include "plan/transport_spec.h"

namespace pairbench::samples {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr std::uint64_t kMessages = 1000;

double three_decimals(double value) {
  return std::round(value * 1000) / 1000;
}

LatencyFigures latency(double median_ns) {
  LatencyFigures figures;
  figures.rtt_ns.count = kMessages;
  figures.rtt_ns.min = Estimate{median_ns - 1000, {}, {}};
  figures.rtt_ns.p50 = Estimate{median_ns, median_ns - 10, median_ns + 10};
  figures.rtt_ns.p90 = Estimate{median_ns + 1000, median_ns + 900, median_ns + 1100};
  figures.rtt_ns.p99 = Estimate{median_ns + 5000, median_ns + 4000, {}};
  figures.rtt_ns.max = Estimate{median_ns + 90000, {}, {}};
  figures.rtt_ns.mean = Estimate{median_ns + 100, median_ns + 50, median_ns + 150};
  figures.rtt_ns.stall_time_share = 0.001;
  figures.largest = {{median_ns + 90000, 17, 1234.5}, {median_ns + 5000, 3, 99}};
  figures.probe = ProbeFigures{25, 5, median_ns + 98, Estimate{2, -1, 5}};
  figures.split = CallSplit{100, median_ns / 10, median_ns / 20, median_ns / 5, median_ns * 0.65};
  figures.histogram.add(static_cast<std::uint64_t>(median_ns * 1000), kMessages - 1);
  figures.histogram.add(static_cast<std::uint64_t>(median_ns * 1000) + 90'000'000);
  return figures;
}

StreamFigures stream(std::uint64_t size, double messages_per_second) {
  StreamFigures figures;
  figures.interval_messages = kMessages;
  figures.interval_bytes = kMessages * size;
  const double ns = three_decimals(kMessages / messages_per_second * kNsPerSecond);
  figures.interval_ns = ns;
  figures.messages_per_second = kMessages / ns * kNsPerSecond;
  figures.delivered_bytes_per_second =
      static_cast<double>(figures.interval_bytes) / ns * kNsPerSecond;
  return figures;
}

CaseResult empty_case(int transport, Test test, std::uint64_t size) {
  CaseResult result;
  result.plan.transport = transport;
  result.plan.test = test;
  result.plan.size_bytes = size;
  result.plan.window = test == Test::pingpong ? 1 : 64;
  result.plan.duration = std::chrono::milliseconds(50);
  result.plan.warmup = std::chrono::milliseconds(50);
  result.plan.rewarm = std::chrono::milliseconds(10);
  return result;
}

RepeatResult repeat_of(std::uint64_t size, int index) {
  RepeatResult repeat;
  repeat.repeat = index;
  repeat.position = static_cast<std::uint64_t>(index) + 1;
  repeat.messages = kMessages;
  repeat.warmup_messages = 200;
  repeat.initiator.messages_sent = repeat.initiator.messages_received = kMessages;
  repeat.initiator.bytes_sent = repeat.initiator.bytes_received = kMessages * size;
  repeat.responder = repeat.initiator;
  repeat.responder.cpu = 5;
  repeat.initiator.busy_posts = 7;
  repeat.initiator.cpu = 4;
  repeat.initiator.involuntary_context_switches = 3;
  repeat.initiator.minor_page_faults = 2;
  repeat.initiator.major_page_faults = 0;
  repeat.initiator.steal_ns = 0;
  repeat.initiator.frequency_ratio = 1.25;
  repeat.initiator.nic = NicCounters{{"rx_dropped", 3}};
  return repeat;
}

Capabilities tcp(const std::string& device) {
  Capabilities c;
  c.opened = "libfabric:tcp+ofi_rxm/" + device;
  c.provider = "tcp;ofi_rxm";
  c.fabric = "TCP-IP";
  c.domain = device;
  c.nic = "Some NIC";
  c.numa_node = 0;
  c.link_bits_per_second = 25'000'000'000;
  c.mtu_bytes = 9000;
  c.max_tx_depth = 2048;
  c.max_rx_depth = 2048;
  c.max_inline = 64;
  c.event_wait = true;
  c.details = {{"mr_mode", "FI_MR_LOCAL"}};
  return c;
}

HostFacts host(const std::string& name) {
  HostFacts facts;
  facts.hostname = name;
  facts.boot_id = name + "-boot";
  facts.kernel = "6.1.0-42-amd64";
  facts.architecture = "x86_64";
  facts.distribution = "Debian GNU/Linux 12 (bookworm)";
  facts.cpu_model = "Some CPU @ 3.00GHz";
  facts.microcode = "0x1";
  facts.cpus_online = 8;
  facts.cpus_allowed = "0-7";
  facts.numa_cpus.emplace()["0"] = "0-7";
  facts.smt_active = false;
  facts.governor = "performance";
  facts.turbo = true;
  facts.clocksource = "tsc";
  facts.hypervisor = "none";
  facts.memory_bytes = std::uint64_t{32} << 30;
  facts.memlock_limit_bytes = UINT64_MAX;
  facts.open_files_limit = 1024;
  facts.environment = {{"FI_PROVIDER", "tcp"}};
  facts.versions = {{"pairbench", "0.1.0"}, {"libfabric", "1.17 (built 1.17)"}};
  return facts;
}

TransportResult transport(const std::string& text) {
  TransportResult result;
  result.plan.spec = parse_transport(text);
  result.plan.max_message_size = 1 << 20;
  result.plan.tx_depth = 72;
  result.plan.rx_depth = 512;
  result.plan.refill_at = 511;
  result.plan.recv_slots = 64;
  result.plan.send_slots = 64;
  result.plan.inline_limit = UINT64_MAX;
  result.initiator = tcp("eth0");
  result.responder = tcp("eth1");
  return result;
}

std::vector<double> around(double middle) {
  std::vector<double> values;
  for (int i = -4; i <= 4; ++i) values.push_back(middle + middle / 100 * i);
  return values;
}

ResultDocument hosts_and_run() {
  ResultDocument document;
  document.tool_version = "0.1.0";
  document.run.id = "3f2a1b4c-0000-4000-8000-000000000000";
  document.run.started_at = "2026-11-29T14:02:11Z";
  document.run.ended_at = "2026-11-29T14:02:31Z";
  document.run.argv = {"pairbench", "run", "nodeB", "-t", "libfabric:tcp"};
  document.run.seed = 42;
  document.run.complete = true;
  document.initiator_host = host("nodeA");
  document.responder_host = host("nodeB");
  document.control_address = "10.0.0.2:18600";
  document.clock = ClockScale{ClockSource::tsc, 0.4, 0.4, 9.5, 0.2, true, 0.15};
  document.responder_clock = ClockScale{ClockSource::raw, 1.0, 1.0, 25.0, 0.0, {}, {}};
  document.repeats = 9;
  return document;
}

void add_transport(ResultDocument& document, const std::string& text) {
  document.transports.push_back(transport(text));
  document.config.transports.push_back(document.transports.back().plan.spec);
}

}  // namespace

CaseResult pingpong(int transport, std::uint64_t size, const std::vector<double>& medians_ns) {
  CaseResult result = empty_case(transport, Test::pingpong, size);
  result.status = CaseStatus::ok;
  for (const double median : medians_ns) {
    RepeatResult repeat = repeat_of(size, static_cast<int>(result.repeats.size()));
    repeat.latency = latency(median);
    repeat.elapsed_ns = kMessages * (median + 100);
    result.repeats.push_back(repeat);
  }
  summarize(result);
  return result;
}

CaseResult streaming(int transport, Test test, std::uint64_t size,
                     const std::vector<double>& rates) {
  CaseResult result = empty_case(transport, test, size);
  result.status = CaseStatus::ok;
  for (const double rate : rates) {
    RepeatResult repeat = repeat_of(size, static_cast<int>(result.repeats.size()));
    repeat.forward = stream(size, rate);
    if (test == Test::bistream) repeat.backward = stream(size, rate * 0.9);
    repeat.elapsed_ns = *repeat.forward->interval_ns;
    result.repeats.push_back(repeat);
  }
  summarize(result);
  return result;
}

CaseResult not_measured(int transport, Test test, std::uint64_t size, CaseStatus status,
                        const std::string& reason) {
  CaseResult result = empty_case(transport, test, size);
  result.status = status;
  result.reason = reason;
  if (status == CaseStatus::skipped) result.plan.skipped = reason;
  return result;
}

ResultDocument two_hosts() {
  ResultDocument document = hosts_and_run();
  document.config.tests = {Test::pingpong, Test::stream, Test::bistream};
  document.config.sizes = std::vector<std::uint64_t>{8, 65536, 1 << 20, 1 << 21};
  document.config.duration = std::chrono::milliseconds(50);
  document.config.initiator_cpu = 4;
  add_transport(document, "libfabric:tcp");
  document.transports[0].plan.adjustments = {
      {"--window", "4096", "64", "the device's send queue, less the reserve for credits"}};
  document.adjustments = {{"--completion", "poll", "yield", "both ends share a CPU"}};
  document.cases = {
      pingpong(0, 65536, around(81200)),
      pingpong(0, 8, around(31200)),
      streaming(0, Test::stream, 65536, around(45000)),
      streaming(0, Test::bistream, 1 << 20, around(2000)),
      not_measured(0, Test::stream, 1 << 20, CaseStatus::skipped, "above the largest message"),
      not_measured(0, Test::stream, 1 << 21, CaseStatus::skipped, "above the largest message"),
      not_measured(0, Test::bistream, 8, CaseStatus::failed, "counts differ: 10 sent, 9 received"),
  };
  document.cases[1].repeats[0].first_message_ns = 412345.5;
  document.cases[1].quality = Quality{Grade::b, {"INVOL_CSW", "UNPINNED"}};
  document.detours = Detours{1e9, 1000, 250, 12345.5, 900000};
  document.responder_pinned_cpu = 5;
  document.samples_locked = true;
  document.warnings = {
      {"INVOL_CSW", "3 involuntary context switches (isolate CPU 4)", "nodeB"},
      {"UNPINNED", "no CPU is pinned (use --cpu)", ""},
  };
  return document;
}

ResultDocument two_transports() {
  ResultDocument document = hosts_and_run();
  add_transport(document, "old=libfabric:tcp");
  add_transport(document, "verbs:rxe0/1/1");
  document.cases = {pingpong(0, 8, around(31200)), pingpong(1, 8, around(9400)),
                    streaming(0, Test::stream, 4096, around(45000)),
                    streaming(1, Test::stream, 4096, around(99000))};
  return document;
}

ResultDocument sparse() {
  ResultDocument document;
  document.tool_version = "0.1.0";
  document.run.id = "00000000-0000-4000-8000-000000000001";
  document.run.started_at = "2026-11-29T14:02:11Z";
  document.run.complete = true;
  document.initiator_host.hostname = "nodeA";
  document.responder_host = document.initiator_host;
  TransportResult inproc;
  inproc.plan.spec = parse_transport("inproc");
  inproc.one_host = true;
  document.transports = {inproc};
  document.config.transports = {inproc.plan.spec};
  document.cases = {pingpong(0, 0, {1200}), streaming(0, Test::stream, 0, {5e6}),
                    streaming(0, Test::stream, 1, {5e6})};
  StreamFigures one_message;
  one_message.interval_messages = 1;
  one_message.interval_bytes = 1;
  auto& last = document.cases.back();
  last.plan.iterations = 1;
  last.repeats[0].forward = one_message;
  last.repeats[0].messages = 1;
  last.repeats[0].initiator = {};
  last.repeats[0].initiator.messages_sent = last.repeats[0].initiator.bytes_sent = 1;
  last.repeats[0].responder = {};
  last.repeats[0].responder.messages_received = last.repeats[0].responder.bytes_received = 1;
  summarize(last);
  return document;
}

ResultDocument interrupted() {
  ResultDocument document = two_hosts();
  document.run.complete = false;
  document.run.ended_at.reset();
  document.run.failure = Failure{ExitStatus::peer, Phase::measure, "no data arrived in 10 s",
                                 "nodeB",          "peer lost",    "look at the security group"};
  document.cases.push_back(not_measured(0, Test::bistream, 65536, CaseStatus::not_run, ""));
  return document;
}

}  // namespace pairbench::samples
