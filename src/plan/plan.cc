#include "plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "base/units.h"

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
// Buffers that stay in the cache: more than this many bytes of distinct receive buffers are used
// only when their content is checked, which forbids sharing them.
constexpr std::uint64_t kHotMemory = std::uint64_t{256} << 10;
constexpr std::uint64_t kAlignment = 128;
// What a transport keeps of each receive posted and each send in flight, at most.
constexpr std::uint64_t kOperationMemory = 128;
// What libfabric takes for an endpoint: tcp;ofi_rxm of 1.17 was seen with 68 MB.
constexpr std::uint64_t kProviderMemory = std::uint64_t{72} << 20;
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

// The smaller limit of both ends.
template <class T>
T limit(const PairFacts& pair, T Capabilities::*member, T unbounded) {
  T result = unbounded;
  if (pair.initiator) result = std::min(result, (*pair.initiator).*member);
  if (pair.responder) result = std::min(result, (*pair.responder).*member);
  return result;
}

bool both(const PairFacts& pair, bool Capabilities::*member) {
  return (!pair.initiator || (*pair.initiator).*member) &&
         (!pair.responder || (*pair.responder).*member);
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

class TransportPlanner {
 public:
  TransportPlanner(const Config& config, const TransportSpec& spec, const PairFacts& pair,
                   const std::vector<Test>& tests, std::uint64_t largest)
      : config_(config), pair_(pair) {
    plan_.spec = spec;
    plan_.max_message_size = largest;
    const bool only_pingpong = tests == std::vector{Test::pingpong};
    const bool distinct_buffers = config.check && !only_pingpong;
    plan_rx_depth(distinct_buffers);
    plan_refill();
    plan_window(distinct_buffers);
    plan_inline();
    plan_path();
  }

  TransportPlan plan() && { return std::move(plan_); }
  std::uint64_t window() const { return window_; }

  static std::uint64_t stride(std::uint64_t size) {
    return std::max<std::uint64_t>(kAlignment, (size + kAlignment - 1) / kAlignment * kAlignment);
  }

 private:
  // Lowers `value` to `bound`, on the record.
  void lower(std::uint64_t& value, std::uint64_t bound, const char* option, const char* reason) {
    if (value <= bound) return;
    plan_.adjustments.push_back({option, std::to_string(value), std::to_string(bound), reason});
    value = bound;
  }

  std::uint64_t slots_in(std::uint64_t memory) const {
    return memory / stride(plan_.max_message_size);
  }

  void plan_rx_depth(bool distinct_buffers) {
    plan_.rx_depth = config_.rx_depth.value_or(std::max<std::uint64_t>(512, config_.window));
    const auto device = limit(pair_, &Capabilities::max_rx_depth, SIZE_MAX);
    if (device != SIZE_MAX)
      lower(plan_.rx_depth, device > 2 * Plan::kCreditReserve ? device - Plan::kCreditReserve : 1,
            "--rx-depth", "the device's receive queue, less the reserve for credits");
    if (distinct_buffers)
      lower(plan_.rx_depth, std::max<std::uint64_t>(2, slots_in(Plan::kSlotMemory)), "--rx-depth",
            "--check keeps every message in a buffer of its own, 64 MiB of them");
    const std::uint64_t posted = plan_.rx_depth + Plan::kCreditReserve;
    plan_.recv_slots =
        distinct_buffers
            ? posted
            : std::bit_floor(std::clamp<std::uint64_t>(slots_in(kHotMemory), 2, posted));
  }

  void plan_inline() {
    plan_.inline_limit = UINT64_MAX;
    if (config_.inline_choice.automatic) return;
    plan_.inline_limit = config_.inline_choice.limit;
    lower(plan_.inline_limit, limit(pair_, &Capabilities::max_inline, SIZE_MAX), "--inline",
          "the largest payload that the device sends inline");
  }

  // MTUs are powers of two, so the lower of the two ends' is one of them.
  void plan_path() {
    if (plan_.spec.kind == TransportKind::verbs) {
      plan_.path = config_.path;
      if (!plan_.path.mtu_bytes) return;
      auto mtu = static_cast<std::uint64_t>(*plan_.path.mtu_bytes);
      for (const auto* end : {&pair_.initiator, &pair_.responder})
        if (*end && (*end)->mtu_bytes)
          lower(mtu, *(*end)->mtu_bytes, "--mtu", "the active MTU of the ports");
      plan_.path.mtu_bytes = static_cast<int>(mtu);
      return;
    }
    const auto leave_out = [&](const std::optional<int>& asked, const char* option) {
      if (asked)
        plan_.adjustments.push_back({option, std::to_string(*asked), "none", "verbs alone has it"});
    };
    leave_out(config_.path.mtu_bytes, "--mtu");
    leave_out(config_.path.service_level, "--sl");
    leave_out(config_.path.traffic_class, "--traffic-class");
  }

  void plan_refill() {
    const std::uint64_t highest = plan_.rx_depth - 1;
    plan_.refill_at = config_.refill_at.value_or(highest);
    lower(plan_.refill_at, highest, "--refill-at", "only a used receive can be replaced");
  }

  void plan_window(bool distinct_buffers) {
    window_ = config_.window;
    const auto device = limit(pair_, &Capabilities::max_tx_depth, SIZE_MAX);
    if (device != SIZE_MAX)
      lower(window_, device > 2 * Plan::kCreditReserve ? device - Plan::kCreditReserve : 1,
            "--window", "the device's send queue, less the reserve for credits");
    lower(window_, plan_.rx_depth, "--window", "no more can be in flight than receives are posted");
    if (distinct_buffers)
      lower(window_, std::max<std::uint64_t>(1, slots_in(Plan::kSlotMemory)), "--window",
            "--check keeps every message in a buffer of its own, 64 MiB of them");
    plan_.tx_depth = window_ + Plan::kCreditReserve;
    plan_.send_slots = distinct_buffers ? window_ : 1;
  }

  const Config& config_;
  const PairFacts& pair_;
  TransportPlan plan_;
  std::uint64_t window_ = 1;
};

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
    return both(pair, &Capabilities::completions_ordered);
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
  const auto largest = limit(pair, &Capabilities::max_message_size, UINT64_MAX);
  if (size > largest)
    return fmt::format("{} is above the transport's largest message, {}", format_size(size),
                       format_size(largest));
  if (config.completion == CompletionMode::event && !both(pair, &Capabilities::event_wait))
    return std::string("--completion event: the completion queue offers nothing to wait on");
  if (test != Test::pingpong && !both(pair, &Capabilities::immediate))
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

// In ns. With --iters the time is a guess: 20 us and a nanosecond a byte for each message.
double estimate(const Case& c) {
  constexpr double kPerMessage = 20e3;
  constexpr double kFewest = 4;  // messages of a case, however large
  const double message = kPerMessage + static_cast<double>(c.size_bytes);
  const auto of = [&](const std::optional<std::uint64_t>& count, std::chrono::nanoseconds time) {
    if (count) return static_cast<double>(*count) * message;
    return std::max(static_cast<double>(time.count()), kFewest * message);
  };
  const double warmup = of(c.warmup_iterations, c.rewarm);
  const double measured = of(c.iterations, c.duration);
  // After a ping-pong's samples a quarter as many show what the stamps cost, an eighth where the
  // time goes.
  return warmup + measured * (c.test == Test::pingpong ? 1.375 : 1);
}

void plan_totals(Plan& plan) {
  plan.memory_bytes = memory_needed(plan);
  constexpr double kForEver = 9e18;
  double repeat = 0;
  for (const auto& c : plan.cases)
    if (c.runs()) repeat += estimate(c) + 5e6;
  // Opening and closing an endpoint over tcp;ofi_rxm was measured at 50 to 100 ms.
  const double all = plan.repeats * (repeat + 100e6 * static_cast<double>(plan.transports.size()));
  plan.estimated_time =
      std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(all, kForEver)));
  // Two ends that share a CPU would find each other.
  if (plan.estimated_time < kLongRun || plan.completion == CompletionMode::yield) return;
  plan.detour_spin = kDetourSpin;
  plan.estimated_time += kDetourSpin;
}

std::uint64_t provider_memory(const TransportSpec& spec) {
  return spec.kind == TransportKind::libfabric ? kProviderMemory : 0;
}

}  // namespace

std::uint64_t memory_needed(const Plan& plan) {
  // A block of stamps and the samples kept of a case.
  std::uint64_t sum = 2 * Plan::kMaxBlock * sizeof(Ticks);
  for (const auto& transport : plan.transports) {
    std::uint64_t slots = 0;
    std::uint64_t buffers = 0;
    std::uint64_t operations = 0;
    if (transport.max_message_size > UINT64_MAX - kAlignment ||
        __builtin_add_overflow(transport.recv_slots, transport.send_slots, &slots) ||
        __builtin_mul_overflow(TransportPlanner::stride(transport.max_message_size), slots,
                               &buffers) ||
        __builtin_add_overflow(sum, buffers, &sum) ||
        __builtin_add_overflow(transport.rx_depth, transport.tx_depth, &operations) ||
        __builtin_mul_overflow(operations, kOperationMemory, &operations) ||
        __builtin_add_overflow(sum, operations, &sum) ||
        __builtin_add_overflow(sum, provider_memory(transport.spec), &sum))
      return UINT64_MAX;
  }
  return sum;
}

Plan make_plan(const Config& config, const std::vector<PairFacts>& pairs,
               const Placement& placement) {
  validate(config);
  const PresetValues preset = preset_values(config.preset);
  const auto tests = config.tests.value_or(preset.tests);
  const auto sizes = config.sizes ? *config.sizes : parse_size_list(preset.sizes);

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
    TransportPlanner planner(config, config.transports[t], pairs[t], tests, largest);
    for (auto& c : plan.cases)
      if (c.transport == static_cast<int>(t))
        c.window = c.test == Test::pingpong ? 1 : planner.window();
    smallest_window = std::min(smallest_window, planner.window());
    plan.transports.push_back(std::move(planner).plan());
  }
  const auto interval = common_signal_interval(config, pairs, smallest_window, plan.adjustments);
  for (auto& c : plan.cases) c.signal_interval = interval;
  plan_totals(plan);
  return plan;
}

}  // namespace pairbench
