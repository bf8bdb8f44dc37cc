// What is asked for, the clocks, and how a process ends that cannot go on.
#pragma once

#include <rdma/fi_errno.h>
#include <sys/types.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <stdexcept>
#include <string>

namespace bare {

inline constexpr double kDeadlineNs = 10e9;  // of every wait: so long without progress is an error
inline constexpr std::size_t kPingpongDepth =
    4;  // receives posted: two would do; few stay in the cache
inline constexpr std::size_t kStreamDepth = 512;  // or the window, where that is more

struct Options {
  std::string provider, domain;
  std::size_t size = 0, iterations = 0, window = 0;
  std::array<int, 2> cpus{-1, -1};
  bool yield = false;  // on an empty poll

  std::size_t warmup() const { return std::max<std::size_t>(1000, iterations / 10); }
  std::size_t depth() const { return window ? std::max(kStreamDepth, window) : kPingpongDepth; }
};

struct Gone {};  // the other process has ended, and said why

[[noreturn]] inline void fail(const std::string& what) {
  throw std::runtime_error(what);
}

inline void check(ssize_t rc, const char* call) {
  if (rc != 0) [[unlikely]]
    fail(std::string(call) + ": " + fi_strerror(static_cast<int>(-rc)));
}

inline double raw_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

inline std::uint64_t stamp() {
#if defined(__x86_64__)
  __builtin_ia32_lfence();
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t ticks = 0;
  asm volatile("isb; mrs %0, cntvct_el0" : "=r"(ticks)::"memory");
  return ticks;
#else
  return static_cast<std::uint64_t>(raw_ns());
#endif
}

}  // namespace bare
