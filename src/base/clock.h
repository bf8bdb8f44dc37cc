// Clocks for the timed loops: a fenced time-stamp counter where it is sound, else
// CLOCK_MONOTONIC_RAW.
#pragma once

#include <concepts>
#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <string_view>

namespace pairbench {

// A reading of a clock, in that clock's own units. Only differences mean anything.
using Ticks = std::uint64_t;

// What a timed loop needs of a clock; tests use a manual one.
template <class C>
concept Clock = requires(const C& clock) {
  { clock.now() } -> std::same_as<Ticks>;
};

// The processor's counter. x86: lfence; rdtsc (Intel SDM vol. 2, RDTSC: the fence keeps the read
// from starting before earlier instructions completed). aarch64: isb; mrs cntvct_el0.
struct TscClock {
  Ticks now() const noexcept {
#if defined(__x86_64__)
    __builtin_ia32_lfence();
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    Ticks ticks;
    asm volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks)::"memory");
    return ticks;
#else
    timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return static_cast<Ticks>(t.tv_sec) * 1'000'000'000u + static_cast<Ticks>(t.tv_nsec);
#endif
  }
};

// CLOCK_MONOTONIC_RAW in nanoseconds.
struct RawClock {
  Ticks now() const noexcept {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return static_cast<Ticks>(t.tv_sec) * 1'000'000'000u + static_cast<Ticks>(t.tv_nsec);
  }
};

enum class ClockSource { tsc, raw };
enum class ClockChoice { automatic, tsc, raw };

std::string_view to_string(ClockSource source);
std::string_view to_string(ClockChoice choice);

// How ticks of one source become nanoseconds, and how good the source is.
struct ClockScale {
  ClockSource source = ClockSource::raw;
  double ns_per_tick = 1.0;
  double quantum_ns = 1.0;            // the clock's step, see quantum_of
  double read_cost_ns = 0.0;          // one read, back to back
  double uncertainty_ppm = 0.0;       // of ns_per_tick, from the width of the calibration brackets
  std::optional<bool> invariant_tsc;  // what CPUID says; null where it cannot be read
  std::optional<double> drift_ppm;    // against the calibration before; null until refined

  double to_ns(Ticks ticks) const noexcept { return static_cast<double>(ticks) * ns_per_tick; }
};

// The step in which a clock advances, from stamps taken back to back: the commonest non-zero change
// between successive differences. (The commonest difference would be the cost of a read where that
// is longer than a step.) 1 where the differences never change.
Ticks quantum_of(std::span<const Ticks> stamps);

// Chooses and calibrates against CLOCK_MONOTONIC_RAW (about 20 ms). `automatic` takes the TSC when
// the kernel's current clocksource is tsc and a read costs under 100 ns, else raw. `tsc` where it
// is not sound throws a usage Error that says why.
class ClockCalibration {
 public:
  explicit ClockCalibration(ClockChoice choice);

  const ClockScale& scale() const noexcept { return scale_; }

  // Measures again over the whole time since construction (a longer base, so a finer scale), stores
  // the result in scale() and its difference to the scale before as drift_ppm. Drift over 100 ppm
  // throws Error(failed): the clock cannot be trusted. Nothing to do for raw, which is its own
  // reference.
  void refine();

 private:
  // One moment on both clocks: a raw reading and the middle of the two counter readings around it.
  struct Anchor {
    Ticks ticks = 0;
    std::uint64_t raw_ns = 0;
    Ticks width = 0;
  };
  static Anchor take_anchor();
  ClockScale scale_to(const Anchor& last) const;

  ClockScale scale_;
  Anchor first_;
};

}  // namespace pairbench
