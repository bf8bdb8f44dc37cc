#include "harness/thread_usage.h"

#include <sched.h>
#include <sys/resource.h>

namespace pairbench {
namespace {

void add(std::optional<std::uint64_t>& sum, std::optional<std::uint64_t> before,
         std::optional<std::uint64_t> after) {
  if (before && after) sum = sum.value_or(0) + (*after - *before);
}

}  // namespace

ThreadUsage ThreadUsage::now() {
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) != 0) return {};
  return {static_cast<std::uint64_t>(usage.ru_nivcsw), static_cast<std::uint64_t>(usage.ru_minflt),
          static_cast<std::uint64_t>(usage.ru_majflt)};
}

void add_usage(wire::CaseCounters& counters, const ThreadUsage& before, const ThreadUsage& after) {
  add(counters.involuntary_context_switches, before.involuntary_context_switches,
      after.involuntary_context_switches);
  add(counters.minor_page_faults, before.minor_page_faults, after.minor_page_faults);
  add(counters.major_page_faults, before.major_page_faults, after.major_page_faults);
  if (const int cpu = sched_getcpu(); cpu >= 0) counters.cpu = cpu;
}

}  // namespace pairbench
