#include "plan/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/units.h"
#include "plan/costs.h"
#include "plan/transport_planner.h"

namespace pairbench {
namespace {

using namespace std::chrono_literals;

struct PresetValues {
  const char* sizes;
  std::vector<Test> tests;
  int repeats;
  std::chrono::nanoseconds duration;
  std::chrono::nanoseconds warmup;
};

PresetValues preset_values(Preset preset) {
  switch (preset) {
    case Preset::smoke:
      return {"8,4K,64K", {Test::pingpong, Test::stream}, 1, 50ms, 20ms};
    case Preset::quick:
      return {"8,64,512,4K,64K,1M", {Test::pingpong, Test::stream}, 9, 50ms, 50ms};
    case Preset::full:
      return {"1:4M:x2", {Test::pingpong, Test::stream, Test::bistream}, 12, 250ms, 100ms};
  }
  throw_usage("--preset: unknown");
}

// A new size on a warm endpoint needs less than a cold one.
constexpr int kRewarmShare = 5;
// Runs from this length on look for gaps in their CPUs' time first.
constexpr std::chrono::nanoseconds kLongRun = 10s;
constexpr std::chrono::nanoseconds kDetourSpin = 1s;

void validate(const Config& config) {
  if (config.transports.empty())
    throw_usage("no transport given", "name one with -t, for example -t libfabric:tcp");
  if (config.iterations && config.duration)
    throw_usage("--iters and --duration exclude each other", "give one of the two");
  if (config.window == 0) throw_usage("--window: 0 would send nothing", "use 1 or more");
  if (config.signal_every == std::uint64_t{0})
    throw_usage("--signal-every: 0 would never free the send queue", "use 1 or more");
  if (config.rx_depth == std::uint64_t{0})
    throw_usage("--rx-depth: 0 would receive nothing", "use 1 or more");
  for (std::size_t i = 0; i < config.transports.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (config.transports[i].label == config.transports[j].label)
        throw_usage(fmt::format("-t: two transports are called '{}'", config.transports[i].label),
                    "give one a name of its own: label=TRANSPORT");
}

void require_reach(const TransportSpec& spec, const PairFacts& pair) {
  const bool local_only = (pair.initiator && pair.initiator->same_host_only) ||
                          (pair.responder && pair.responder->same_host_only);
  if (local_only && !pair.one_host)
    throw Error(
        ExitStatus::no_device, Phase::plan,
        fmt::format("{} reaches processes on one host only", spec.label),
        "the two ends are on different hosts",
        fmt::format("use a network transport, or measure here: pairbench local -t {}", spec.text));
}

// One value for all transports that are compared: unsignalled sends need an order of completions on
// each of them.
std::uint64_t common_signal_interval(const Config& config, const std::vector<PairFacts>& pairs,
                                     std::uint64_t smallest_window,
                                     std::vector<Adjustment>& adjustments) {
  std::uint64_t interval = config.signal_every.value_or(Plan::kSignalEvery);
  std::string reason;
  const std::uint64_t bound = std::max<std::uint64_t>(1, smallest_window / 2);
  if (interval > bound) {
    interval = bound;
    reason = "at least two signalled sends must fit into a window";
  }
  const bool ordered = std::all_of(pairs.begin(), pairs.end(), [](const PairFacts& pair) {
    return pair.both(&Capabilities::completions_ordered);
  });
  if (interval > 1 && !ordered) {
    interval = 1;
    reason = "a provider reports no order of completions, so every send must be signalled";
  }
  if (interval > 1 && config.check) {
    interval = 1;
    reason = "--check frees a buffer with the completion of its send";
  }
  if (config.signal_every && interval != *config.signal_every)
    adjustments.push_back(
        {"--signal-every", std::to_string(*config.signal_every), std::to_string(interval), reason});
  return interval;
}

std::optional<std::string> reason_to_skip(const Config& config, const PairFacts& pair, Test test,
                                          std::uint64_t size) {
  const auto largest = pair.limit(&Capabilities::max_message_size, UINT64_MAX);
  if (size > largest)
    return fmt::format("{} is above the transport's largest message, {}", format_size(size),
                       format_size(largest));
  if (config.completion == CompletionMode::event && !pair.both(&Capabilities::event_wait))
    return std::string("--completion event: the completion queue offers nothing to wait on");
  if (test != Test::pingpong && !pair.both(&Capabilities::immediate))
    return std::string("flow control needs immediate data, which this transport does not carry");
  return std::nullopt;
}

Case make_case(const Config& config, const PresetValues& preset, int transport, Test test,
               std::uint64_t size) {
  Case result;
  result.transport = transport;
  result.test = test;
  result.size_bytes = size;
  result.iterations = config.iterations;
  result.duration = config.iterations ? 0ns : config.duration.value_or(preset.duration);
  result.warmup_iterations = config.warmup_iterations;
  result.warmup = config.warmup_iterations ? 0ns : preset.warmup;
  result.rewarm = result.warmup / kRewarmShare;
  result.check = config.check;
  return result;
}

void plan_totals(Plan& plan) {
  plan.memory_bytes = memory_needed(plan);
  plan.estimated_time = time_needed(plan);
  // Two ends that share a CPU would find each other.
  if (plan.estimated_time < kLongRun || plan.completion == CompletionMode::yield) return;
  plan.detour_spin = kDetourSpin;
  plan.estimated_time += kDetourSpin;
}

// What concerns every transport; no transport or case yet.
Plan common_plan(const Config& config, const PresetValues& preset, const Placement& placement) {
  Plan plan;
  plan.repeats = config.repeats.value_or(preset.repeats);
  plan.seed = config.seed;
  plan.completion = config.completion;
  plan.clock = config.clock;
  plan.peer_timeout = config.peer_timeout;
  plan.initiator_cpu = placement.initiator_cpu;
  plan.responder_cpu = placement.responder_cpu;
  if (placement.crowded && plan.completion == CompletionMode::poll) {
    plan.completion = CompletionMode::yield;
    plan.adjustments.push_back(
        {"--completion", "poll", "yield",
         "both ends share a CPU: spinning would only keep the other from running"});
  }
  return plan;
}

}  // namespace

Plan make_plan(const Config& config, const std::vector<PairFacts>& pairs,
               const Placement& placement) {
  validate(config);
  const PresetValues preset = preset_values(config.preset);
  const auto tests = config.tests.value_or(preset.tests);
  const auto sizes = config.sizes ? *config.sizes : parse_size_list(preset.sizes);

  Plan plan = common_plan(config, preset, placement);
  std::uint64_t smallest_window = UINT64_MAX;
  for (std::size_t t = 0; t < config.transports.size(); ++t) {
    require_reach(config.transports[t], pairs[t]);
    std::uint64_t largest = 0;
    for (const Test test : tests)
      for (const std::uint64_t size : sizes) {
        Case c = make_case(config, preset, static_cast<int>(t), test, size);
        c.skipped = reason_to_skip(config, pairs[t], test, size);
        if (c.runs()) largest = std::max(largest, size);
        plan.cases.push_back(std::move(c));
      }
    auto [transport, window] =
        plan_transport(config, config.transports[t], pairs[t], tests, largest);
    for (auto& c : plan.cases)
      if (c.transport == static_cast<int>(t)) c.window = c.test == Test::pingpong ? 1 : window;
    smallest_window = std::min(smallest_window, window);
    plan.transports.push_back(std::move(transport));
  }
  const auto interval = common_signal_interval(config, pairs, smallest_window, plan.adjustments);
  for (auto& c : plan.cases) c.signal_interval = interval;
  plan_totals(plan);
  return plan;
}

}  // namespace pairbench
