#include "base/clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/system_files.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace pairbench {
namespace {

constexpr auto kFirstBase = std::chrono::milliseconds(20);
constexpr double kMaxReadCostNs = 100;
constexpr double kMaxDriftPpm = 100;

template <class C>
std::vector<Ticks> stamps_of(const C& clock, std::size_t count) {
  std::vector<Ticks> stamps(count);
  for (Ticks& stamp : stamps) stamp = clock.now();
  return stamps;
}

// The quickest of many short rounds: on a busy machine some are interrupted.
template <class C>
double read_cost_in_ticks(const C& clock) {
  constexpr int kRounds = 64;
  constexpr std::size_t kReads = 256;
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<Ticks> stamps = stamps_of(clock, kReads);
    least = std::min(least, static_cast<double>(stamps.back() - stamps.front()) / (kReads - 1));
  }
  return least;
}

template <class C>
void measure_reads(const C& clock, ClockScale& scale) {
  scale.read_cost_ns = read_cost_in_ticks(clock) * scale.ns_per_tick;
  scale.quantum_ns = scale.to_ns(quantum_of(stamps_of(clock, 4096)));
}

std::optional<bool> invariant_tsc() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  // Intel SDM vol. 2, CPUID: leaf 80000007H, EDX bit 8.
  if (__get_cpuid(0x80000007, &a, &b, &c, &d) != 0) return (d & (1u << 8)) != 0;
#endif
  return std::nullopt;
}

// Why the counter cannot be used; empty when it can.
std::string counter_objection(double read_cost_ns) {
#if defined(__x86_64__)
  const auto source = read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  if (source != "tsc") {
    return fmt::format("the kernel's clocksource is {}, not tsc", source.value_or("unknown"));
  }
#elif !defined(__aarch64__)
  return "this processor has no counter that we know";
#endif
  if (read_cost_ns >= kMaxReadCostNs) {
    return fmt::format("a read takes {:.0f} ns, {:.0f} or more is too slow", read_cost_ns,
                       kMaxReadCostNs);
  }
  return {};
}

ClockScale raw_scale() {
  ClockScale scale;
  scale.invariant_tsc = invariant_tsc();
  measure_reads(RawClock{}, scale);
  return scale;
}

}  // namespace

std::string_view to_string(ClockSource source) {
  switch (source) {
    case ClockSource::tsc:
      return "tsc";
    case ClockSource::raw:
      return "raw";
  }
  return "unknown";
}

std::string_view to_string(ClockChoice choice) {
  switch (choice) {
    case ClockChoice::automatic:
      return "auto";
    case ClockChoice::tsc:
      return "tsc";
    case ClockChoice::raw:
      return "raw";
  }
  return "unknown";
}

Ticks quantum_of(std::span<const Ticks> stamps) {
  std::map<Ticks, std::size_t> changes;
  for (std::size_t i = 2; i < stamps.size(); ++i) {
    const Ticks before = stamps[i - 1] - stamps[i - 2];
    const Ticks after = stamps[i] - stamps[i - 1];
    if (before != after) ++changes[std::max(before, after) - std::min(before, after)];
  }
  const auto rarer = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto commonest = std::max_element(changes.begin(), changes.end(), rarer);
  return commonest == changes.end() ? 1 : commonest->first;
}

ClockCalibration::Anchor ClockCalibration::take_anchor() {
  constexpr int kBrackets = 1024;
  Anchor best;
  best.width = std::numeric_limits<Ticks>::max();
  for (int i = 0; i < kBrackets; ++i) {
    const Ticks before = TscClock{}.now();
    const std::uint64_t raw_ns = RawClock{}.now();
    const Ticks width = TscClock{}.now() - before;
    if (width < best.width) best = {before + width / 2, raw_ns, width};
  }
  return best;
}

ClockScale ClockCalibration::scale_to(const Anchor& last) const {
  ClockScale scale = scale_;
  const double ticks = static_cast<double>(last.ticks - first_.ticks);
  scale.source = ClockSource::tsc;
  scale.ns_per_tick = static_cast<double>(last.raw_ns - first_.raw_ns) / ticks;
  // The true moment of each raw reading lies within its bracket, half a width from the middle at
  // most.
  scale.uncertainty_ppm = 1e6 * static_cast<double>(first_.width + last.width) / 2 / ticks;
  return scale;
}

ClockCalibration::ClockCalibration(ClockChoice choice) {
  if (choice == ClockChoice::raw) {
    scale_ = raw_scale();
    return;
  }
  first_ = take_anchor();
  std::this_thread::sleep_for(kFirstBase);
  scale_ = scale_to(take_anchor());
  measure_reads(TscClock{}, scale_);
  scale_.invariant_tsc = invariant_tsc();
  const std::string objection = counter_objection(scale_.read_cost_ns);
  if (objection.empty()) return;
  if (choice == ClockChoice::tsc) {
    throw_usage("--clock tsc: " + objection, "use --clock raw, or auto, which chooses by itself");
  }
  scale_ = raw_scale();
}

void ClockCalibration::refine() {
  if (scale_.source == ClockSource::raw) return;
  ClockScale refined = scale_to(take_anchor());
  const double change = refined.ns_per_tick / scale_.ns_per_tick;
  refined.quantum_ns *= change;
  refined.read_cost_ns *= change;
  refined.drift_ppm = 1e6 * (change - 1);
  if (std::abs(*refined.drift_ppm) > kMaxDriftPpm) {
    throw Error(
        ExitStatus::failed, Phase::measure,
        fmt::format("the time-stamp counter drifted by {:.0f} ppm against the system's clock",
                    *refined.drift_ppm),
        "its frequency changes, or the virtual machine was moved", "use --clock raw");
  }
  scale_ = refined;
}

}  // namespace pairbench
