#include "plan/costs.h"

#include <algorithm>
#include <optional>

namespace pairbench {
namespace {

// What a transport keeps of each receive posted and each send in flight, at most.
constexpr std::uint64_t kOperationMemory = 128;
// What libfabric takes for an endpoint: tcp;ofi_rxm of 1.17 was seen with 68 MB.
constexpr std::uint64_t kProviderMemory = std::uint64_t{72} << 20;

std::uint64_t provider_memory(const TransportSpec& spec) {
  return spec.kind == TransportKind::libfabric ? kProviderMemory : 0;
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

}  // namespace

std::uint64_t memory_needed(const Plan& plan) {
  // A block of stamps and the samples kept of a case.
  std::uint64_t sum = 2 * Plan::kMaxBlock * sizeof(Ticks);
  for (const auto& transport : plan.transports) {
    std::uint64_t slots = 0;
    std::uint64_t buffers = 0;
    std::uint64_t operations = 0;
    if (transport.max_message_size > UINT64_MAX - TransportPlan::kAlignment ||
        __builtin_add_overflow(transport.recv_slots, transport.send_slots, &slots) ||
        __builtin_mul_overflow(transport.stride(), slots, &buffers) ||
        __builtin_add_overflow(sum, buffers, &sum) ||
        __builtin_add_overflow(transport.rx_depth, transport.tx_depth, &operations) ||
        __builtin_mul_overflow(operations, kOperationMemory, &operations) ||
        __builtin_add_overflow(sum, operations, &sum) ||
        __builtin_add_overflow(sum, provider_memory(transport.spec), &sum))
      return UINT64_MAX;
  }
  return sum;
}

std::chrono::nanoseconds time_needed(const Plan& plan) {
  constexpr double kForEver = 9e18;
  double repeat = 0;
  for (const auto& c : plan.cases)
    if (c.runs()) repeat += estimate(c) + 5e6;
  // Opening and closing an endpoint over tcp;ofi_rxm was measured at 50 to 100 ms.
  const double all = plan.repeats * (repeat + 100e6 * static_cast<double>(plan.transports.size()));
  return std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(all, kForEver)));
}

}  // namespace pairbench
