#include "cli/measuring_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/units.h"
#include "cli/arguments.h"
#include "plan/limits.h"
#include "stats/comparison.h"

namespace pairbench {
namespace {

constexpr std::uint64_t kAnySeed = std::uint64_t{1} << 62;
static_assert(kMostRepeats == limits::kRepeats);

std::vector<std::string> split(const std::string& text) {
  return CLI::detail::split(text, ',');
}

std::vector<Test> parse_tests(const std::string& text) {
  std::vector<Test> tests;
  for (const std::string& word : split(text)) {
    const Test test = parse_test(word);
    if (std::find(tests.begin(), tests.end(), test) == tests.end()) tests.push_back(test);
  }
  return tests;
}

// A server would refuse more.
std::chrono::nanoseconds parse_time(const std::string& text, std::chrono::nanoseconds longest) {
  const std::chrono::nanoseconds time = parse_duration(text);
  if (time > longest)
    throw_usage(fmt::format("'{}' is longer than {}", text, format_duration(longest)));
  return time;
}

InlineChoice parse_inline(const std::string& text) {
  if (text == "auto") return {};
  if (text == "off") return {false, 0};
  return {false, parse_size(text)};
}

ClockChoice parse_clock(const std::string& text) {
  for (const ClockChoice choice : {ClockChoice::automatic, ClockChoice::tsc, ClockChoice::raw})
    if (text == to_string(choice)) return choice;
  throw_usage(fmt::format("'{}' is none of auto, tsc, raw", text));
}

Progress parse_progress(const std::string& text) {
  if (text == "auto") return Progress::automatic;
  if (text == "always") return Progress::always;
  if (text == "never") return Progress::never;
  throw_usage(fmt::format("'{}' is none of auto, always, never", text));
}

void parse_cpus(const std::string& text, Config& config) {
  const auto words = split(text);
  if (words.size() > 2)
    throw_usage(fmt::format("'{}': at most two CPUs, the initiator's and the responder's", text));
  config.initiator_cpu = static_cast<int>(parse_count(words.front(), 0, 1 << 20));
  if (words.size() == 2)
    config.responder_cpu = static_cast<int>(parse_count(words.back(), 0, 1 << 20));
}

void add_what(CLI::App& sub, MeasuringArguments& a) {
  Config& c = a.config;
  sub.add_option(
         "-t,--transport", a.transports,
         "What to measure: inproc, libfabric[:PROVIDER[/DOMAIN]], verbs[:DEVICE[/PORT[/GID]]]; "
         "again for another, to compare; label=... names it")
      ->allow_extra_args(false)
      ->type_name("TRANSPORT");
  add_word(sub, "--preset", "smoke, quick (default) or full",
           [&](const std::string& w) { c.preset = parse_preset(w); });
  add_word(sub, "--test", "pingpong, stream, bistream; comma between them",
           [&](const std::string& w) { c.tests = parse_tests(w); });
  add_word(sub, "-s,--sizes", "8 or 8,4K,1M or 1:1M:x2 or 0:64K:+4K",
           [&](const std::string& w) { c.sizes = parse_size_list(w); });
  add_word(sub, "-n,--iters", "Messages or round trips of each case and repeat",
           [&](const std::string& w) { c.iterations = parse_count(w, 1, limits::kMessages); });
  add_word(sub, "-D,--duration",
           "Or how long each case and repeat takes: 50ms, 2, 1m (bare: seconds)",
           [&](const std::string& w) { c.duration = parse_time(w, limits::kSession); });
  add_word(
      sub, "--warmup", "Messages before those that count (default: for a time)",
      [&](const std::string& w) { c.warmup_iterations = parse_count(w, 0, limits::kMessages); });
  add_word(sub, "--repeats", "How often all is measured, with endpoints made anew",
           [&](const std::string& w) {
             c.repeats = static_cast<int>(parse_count(w, 1, limits::kRepeats));
           });
  add_word(sub, "--seed", "Of the order of sizes (default 1)",
           [&](const std::string& w) { c.seed = parse_count(w, 0, kAnySeed); });
}

void add_how(CLI::App& sub, MeasuringArguments& a) {
  Config& c = a.config;
  add_word(sub, "--window", "Messages of a stream in flight at most (default 64)",
           [&](const std::string& w) { c.window = parse_count(w, 1, limits::kDepth); });
  add_word(sub, "--rx-depth", "Receives kept posted (default: max(512, window))",
           [&](const std::string& w) { c.rx_depth = parse_count(w, 1, limits::kDepth); });
  add_word(sub, "--refill-at",
           "Refill when so few receives are left (default: each is replaced at once)",
           [&](const std::string& w) { c.refill_at = parse_count(w, 0, limits::kDepth); });
  add_word(sub, "--signal-every",
           "Ask for a completion of every so-manieth send (default 16, or 1 where they come in any "
           "order)",
           [&](const std::string& w) { c.signal_every = parse_count(w, 1, limits::kDepth); });
  add_word(sub, "--inline", "auto, off, or up to which size payloads are sent inline",
           [&](const std::string& w) { c.inline_choice = parse_inline(w); });
  add_word(sub, "--completion", "poll, yield or event",
           [&](const std::string& w) { c.completion = parse_completion_mode(w); });
  add_word(sub, "--mtu", "verbs: path MTU, 256 to 4096 (default: the ports' active one)",
           [&](const std::string& w) { c.path.mtu_bytes = parse_mtu(w); });
  add_word(sub, "--sl", "verbs: service level, 0 to 15", [&](const std::string& w) {
    c.path.service_level = static_cast<int>(parse_count(w, 0, 15));
  });
  add_word(sub, "--traffic-class", "verbs: traffic class, 0 to 255", [&](const std::string& w) {
    c.path.traffic_class = static_cast<int>(parse_count(w, 0, 255));
  });
  sub.add_flag("--check", c.check,
               "Verify every byte (a correctness run; its figures are not comparable)");
  add_word(sub, "--cpu", "A[,B]: the initiator's and the responder's CPU",
           [&](const std::string& w) { parse_cpus(w, c); });
  add_word(sub, "--clock", "auto, tsc or raw",
           [&](const std::string& w) { c.clock = parse_clock(w); });
  add_word(sub, "--peer-timeout", "A silence this long is an error (default 10s)",
           [&](const std::string& w) { c.peer_timeout = parse_time(w, limits::kPeerTimeout); });
  add_word(sub, "--connect-retry", "Keep trying to reach the server for so long (default: once)",
           [&](const std::string& w) {
             c.connect_retry = w == "0" ? std::chrono::nanoseconds(0) : parse_duration(w);
           });
}

void add_output(CLI::App& sub, MeasuringArguments& a) {
  sub.add_flag("--plan", a.plan_only,
               "Print what would run, how long and how much memory; open nothing");
  sub.add_option("--out", a.out, "Result file (default: ./pairbench-TIME-HOST-HOST-ID.json)");
  sub.add_flag("!--no-save", a.save, "Write no result file");
  sub.add_flag("--json", a.json, "The result document on standard output instead of the table");
  sub.add_flag("--json-stream", a.json_stream,
               "Each repeat on standard output as it ends: JSON lines, as in FILE.partial");
  sub.add_flag("--force", a.force, "Overwrite an existing result file");
  sub.add_flag("-q,--quiet", a.quiet, "Nothing on standard error but errors");
  sub.add_flag("-v,--verbose", a.verbose, "All warnings");
  add_word(sub, "--progress", "auto, always or never",
           [&](const std::string& w) { a.progress = parse_progress(w); });
}

// perftest's options: taken where they mean the same, else translated.
void add_perftest(CLI::App& sub, MeasuringArguments& a) {
  sub.add_option_function<std::string>(
         "-d", [&](const std::string& w) { a.device = w; }, "perftest: verbs device")
      ->group("perftest");
  sub.add_option_function<std::string>(
         "-x",
         [&](const std::string& w) { a.gid_index = static_cast<int>(parse_count(w, 0, 255)); },
         "perftest: GID index")
      ->group("perftest");
  sub.add_flag_callback(
         "-F", [] {}, "perftest: accepted, does nothing")
      ->group("perftest");
  sub.add_flag_callback(
         "-a", [] { throw_usage("-a: pairbench has no such option", "use --sizes 1:8M:x2"); })
      ->group("");
  sub.add_flag_callback(
         "-b", [] { throw_usage("-b: pairbench has no such option", "use --test bistream"); })
      ->group("");
  sub.add_flag_callback(
         "-e", [] { throw_usage("-e: pairbench has no such option", "use --completion event"); })
      ->group("");
}

}  // namespace

void add_measuring_options(CLI::App& sub, MeasuringArguments& arguments) {
  add_what(sub, arguments);
  add_how(sub, arguments);
  add_output(sub, arguments);
  add_perftest(sub, arguments);
}

void settle(MeasuringArguments& a) {
  if (a.transports.empty() && a.device) a.transports.push_back("verbs:" + *a.device);
  for (const std::string& text : a.transports) {
    TransportSpec spec = parse_transport(text);
    if (a.device && spec.device.empty() && spec.kind == TransportKind::verbs)
      spec.device = spec.peer_device = *a.device;
    if (a.gid_index && spec.kind == TransportKind::verbs && !spec.gid_index)
      spec.gid_index = a.gid_index;
    a.config.transports.push_back(std::move(spec));
  }
  if (a.out == "-")
    throw_usage("--out: '-' is no file", "for the document on standard output: --json");
  if (a.out && !a.save) throw_usage("--out and --no-save exclude each other");
}

}  // namespace pairbench
