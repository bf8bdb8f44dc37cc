#include "report/quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string_view>

#include "base/cpu.h"
#include "report/figures.h"

namespace pairbench {
namespace {

constexpr double kMostSwitchesPerSecond = 20;
constexpr std::uint64_t kMostMinorFaults = 16;
constexpr double kMostSteal = 0.01;
constexpr double kMostDetours = 0.005;
constexpr double kLongestDetourNs = 1e6;
constexpr double kMostFrequencyChange = 0.05;
constexpr double kMostClockDriftPpm = 1;
constexpr double kProbeWarns = 0.01;
constexpr double kProbeForbids = 0.05;

// One end of the document, by name where its sentences need one.
struct End {
  std::string name;
  EndCounters RepeatResult::*counters;
  const HostFacts* host;
  std::optional<Capabilities> TransportResult::*capabilities;
  std::optional<int> pinned;
  const std::optional<Detours>& detours;
};

// What a flag is about: a case as one end saw it, or as both did (`end` null).
struct View {
  const ResultDocument& document;
  const CaseResult& result;
  const End* end;

  double sum(const std::function<double(const EndCounters&)>& figure) const {
    double total = 0;
    for (const RepeatResult& repeat : result.repeats) total += figure(repeat.*(end->counters));
    return total;
  }
  double seconds() const {
    double ns = 0;
    for (const RepeatResult& repeat : result.repeats) ns += repeat.elapsed_ns;
    return ns * 1e-9;
  }
  const TransportResult& transport() const { return transport_of(document, result); }
};

struct Flag {
  std::string_view code;
  Grade grade;
  bool (*is_raised)(const View&);
  std::string_view sentence;  // {} is the number of cases
};

double or_zero(const std::optional<std::uint64_t>& count) {
  return static_cast<double>(count.value_or(0));
}

// The lower bound decides: noise alone raises nothing. Too few repeats have none together: then all
// of their own have to agree.
double least_effect(const Estimate& together, const std::vector<RepeatResult>& repeats) {
  if (together.low) return *together.low;
  double least = together.value;
  for (const RepeatResult& repeat : repeats) {
    if (!repeat.latency || !repeat.latency->probe) continue;
    const Estimate& own = repeat.latency->probe->effect_ns;
    least = std::min(least, own.low.value_or(own.value));
  }
  return least;
}

double probe_share(const View& view) {
  const auto& rtt = view.result.summary.rtt_ns;
  if (!rtt || !rtt->probe_effect || !rtt->batch_mean || rtt->batch_mean->value <= 0) return 0;
  return least_effect(*rtt->probe_effect, view.result.repeats) / rtt->batch_mean->value;
}

bool any_repeat(const View& view, const std::function<bool(const RepeatResult&)>& holds) {
  return std::any_of(view.result.repeats.begin(), view.result.repeats.end(), holds);
}

bool is_unsteady(const View& view) {
  return any_repeat(view, [](const RepeatResult& r) {
    return (r.forward && !r.forward->steady) || (r.backward && !r.backward->steady);
  });
}

// In more than half of the repeats: a single one may just have met a disturbance.
bool is_moving(const View& view) {
  const auto moving =
      std::count_if(view.result.repeats.begin(), view.result.repeats.end(),
                    [](const RepeatResult& r) { return r.latency && !r.latency->converged; });
  return 2 * static_cast<std::size_t>(moving) > view.result.repeats.size();
}

bool is_interrupted(const View& view) {
  const double switches =
      view.sum([](const EndCounters& c) { return or_zero(c.involuntary_context_switches); });
  return switches > 1 && switches > kMostSwitchesPerSecond * view.seconds();
}

bool faults(const View& view) {
  return any_repeat(view, [&](const RepeatResult& r) {
    const EndCounters& c = r.*(view.end->counters);
    return c.minor_page_faults.value_or(0) > kMostMinorFaults ||
           c.major_page_faults.value_or(0) > 0;
  });
}

bool is_stolen_from(const View& view) {
  const double stolen = view.sum([](const EndCounters& c) { return c.steal_ns.value_or(0); });
  return stolen * 1e-9 > kMostSteal * view.seconds();
}

bool has_detours(const View& view) {
  const auto& detours = view.end->detours;
  return detours && (detours->share() > kMostDetours || detours->longest_ns > kLongestDetourNs);
}

bool changes_frequency(const View& view) {
  return any_repeat(view, [&](const RepeatResult& r) {
    return std::abs((r.*(view.end->counters)).frequency_ratio.value_or(1) - 1) >
           kMostFrequencyChange;
  });
}

bool drifts(const View& view) {
  const auto& clock = view.document.clock;
  return clock && clock->drift_ppm &&
         std::abs(*clock->drift_ppm) > kMostClockDriftPpm + clock->uncertainty_ppm;
}

bool is_far_from_nic(const View& view) {
  const auto& capabilities = view.transport().*(view.end->capabilities);
  if (!view.end->host || !view.end->host->numa_cpus || !capabilities) return false;
  const int node = capabilities->numa_node.value_or(-1);
  const auto found = view.end->host->numa_cpus->find(std::to_string(node));
  if (node < 0 || found == view.end->host->numa_cpus->end()) return false;
  const std::vector<int> near = parse_cpu_list(found->second);
  return any_repeat(view, [&](const RepeatResult& r) {
    const auto& cpu = (r.*(view.end->counters)).cpu;
    return cpu && std::find(near.begin(), near.end(), *cpu) == near.end();
  });
}

bool nic_counted(const View& view, bool (*is_meant)(std::string_view name)) {
  return any_repeat(view, [&](const RepeatResult& r) {
    const auto& nic = (r.*(view.end->counters)).nic;
    return nic && std::any_of(nic->begin(), nic->end(),
                              [&](const auto& counter) { return is_meant(counter.first); });
  });
}

// By the drivers' names, as base/nic_counters.h lets them through.
bool is_rnr(std::string_view name) {
  return name.find("rnr") != std::string_view::npos;
}

bool is_resend(std::string_view name) {
  constexpr std::array<std::string_view, 5> kParts = {"retrans", "retry", "timeout", "seq",
                                                      "duplicate"};
  return !is_rnr(name) && std::any_of(kParts.begin(), kParts.end(), [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

bool shares_cpu(const View& view) {
  const auto& pinned = view.document.pinned_cpu;
  return view.transport().one_host && pinned && pinned == view.document.responder_pinned_cpu;
}

// Of the case as a whole.
constexpr Flag kCaseFlags[] = {
    {"FAILED", Grade::c, [](const View& v) { return v.result.status == CaseStatus::failed; },
     "{} did not end well: see the reasons"},
    {"CHECKED", Grade::c, [](const View& v) { return v.result.plan.check; },
     "{} verified payloads within the time shown: measure without --check to compare"},
    {"NO_STEADY", Grade::c, is_unsteady,
     "{} had no steady part without start and end: give it a longer --duration, or more --iters"},
    {"PROBE_5", Grade::c, [](const View& v) { return probe_share(v) > kProbeForbids; },
     "in {} reading the clock takes over 5 % of a round trip: use its batch_mean"},
    {"PROBE", Grade::b,
     [](const View& v) { return probe_share(v) > kProbeWarns && probe_share(v) <= kProbeForbids; },
     "in {} reading the clock takes 1 to 5 % of a round trip: see its batch_mean"},
    {"NOT_CONVERGED", Grade::b, is_moving,
     "in {} round trips were still changing half-way through: give it a longer --duration"},
    {"SHARED_CPU", Grade::b, shares_cpu,
     "both ends share one CPU, so every message waits for a context switch: give the run two CPUs"},
    {"CLOCK_DRIFT", Grade::b, drifts,
     "the clock moved by over 1 ppm against the kernel's while measuring: try --clock raw"},
    {"SOFTWARE_PROVIDER", Grade::b,
     [](const View& v) {
       const auto& c = v.transport().initiator;
       return c && c->software && !v.transport().one_host;
     },
     "{} went through a provider that works in software: the figures are the host's, not an "
     "adapter's"},
    {"ONE_HOST", Grade::b, [](const View& v) { return v.transport().one_host; },
     "both ends are on one host: this is not a network measurement"},
};

// Of what one end met.
constexpr Flag kEndFlags[] = {
    {"STEAL", Grade::b, is_stolen_from,
     "in {} the hypervisor took over 1 % of the CPU's time: use a dedicated host or instance"},
    {"INVOL_CSW", Grade::b, is_interrupted,
     "in {} the measuring thread often lost its CPU: keep other work off it, or name another: "
     "--cpu"},
    {"PAGE_FAULT", Grade::b, faults,
     "in {} memory was paged while measuring: free memory, raise ulimit -l"},
    {"DETOUR", Grade::b, has_detours,
     "interrupts take over 0.5 % of the CPU's time, or a millisecond at once: isolate it, or name "
     "another: --cpu"},
    {"FREQ_DRIFT", Grade::b, changes_frequency,
     "in {} the CPU's frequency changed by over 5 %: set the governor to performance"},
    {"NUMA_REMOTE", Grade::b, is_far_from_nic,
     "the measuring thread is not on the NIC's NUMA node: name a CPU of that node: --cpu"},
    {"UNPINNED", Grade::b, [](const View& v) { return !v.end->pinned; },
     "the measuring thread is not pinned: name a CPU: --cpu"},
    {"RNR", Grade::b, [](const View& v) { return nic_counted(v, is_rnr); },
     "in {} the receiver was not ready: raise --rx-depth"},
    {"NET_RETRANS", Grade::b, [](const View& v) { return nic_counted(v, is_resend); },
     "in {} data was sent again: look for loss or congestion (ethtool -S, switch counters)"},
};

// A flag with the end that it is about, and in how many cases it was raised.
struct Raised {
  const Flag* flag;
  const End* end;
  std::size_t cases = 0;
};

void raise(std::vector<Raised>& all, Quality& quality, const View& view, const Flag& flag) {
  if (!flag.is_raised(view)) return;
  const std::string code(flag.code);
  if (std::find(quality.flags.begin(), quality.flags.end(), code) == quality.flags.end())
    quality.flags.push_back(code);
  quality.grade = std::max(quality.grade, flag.grade);
  const auto found = std::find_if(all.begin(), all.end(), [&](const Raised& r) {
    return r.flag == &flag && r.end == view.end;
  });
  if (found == all.end())
    all.push_back({&flag, view.end, 1});
  else
    ++found->cases;
}

// The flags of ends come before those of cases, which say less: but what forbids a verdict first.
std::size_t rank(const Raised& raised) {
  const bool grave = raised.flag->grade == Grade::c;
  return grave ? 0 : raised.end ? 1 : 2;
}

Warning to_warning(const Raised& raised) {
  const std::string cases = fmt::format("{} case{}", raised.cases, raised.cases == 1 ? "" : "s");
  return {std::string(raised.flag->code), fmt::format(fmt::runtime(raised.flag->sentence), cases),
          raised.end ? raised.end->name : ""};
}

}  // namespace

void assess(ResultDocument& document) {
  const auto [here, there] = end_names(document);
  const HostFacts* responder = document.responder_host ? &*document.responder_host : nullptr;
  const std::array<End, 2> ends = {
      End{here, &RepeatResult::initiator, &document.initiator_host, &TransportResult::initiator,
          document.pinned_cpu, document.detours},
      End{there, &RepeatResult::responder, responder, &TransportResult::responder,
          document.responder_pinned_cpu, document.responder_detours}};
  std::vector<Raised> all;
  for (CaseResult& result : document.cases) {
    result.quality.reset();
    if (result.repeats.empty()) continue;
    Quality& quality = result.quality.emplace();
    for (const Flag& flag : kCaseFlags) raise(all, quality, {document, result, nullptr}, flag);
    for (const End& end : ends)
      for (const Flag& flag : kEndFlags) raise(all, quality, {document, result, &end}, flag);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Raised& a, const Raised& b) { return rank(a) < rank(b); });
  document.warnings.clear();
  for (const Raised& raised : all) document.warnings.push_back(to_warning(raised));
}

Grade grade_of(std::string_view code) {
  const auto matches = [&](const Flag& flag) { return flag.code == code; };
  const auto* of_case = std::ranges::find_if(kCaseFlags, matches);
  if (of_case != std::end(kCaseFlags)) return of_case->grade;
  const auto* of_end = std::ranges::find_if(kEndFlags, matches);
  return of_end != std::end(kEndFlags) ? of_end->grade : Grade::b;
}

}  // namespace pairbench
