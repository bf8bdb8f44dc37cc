// Everything decided before anything is opened. Both hosts run from the same Plan. Pure: no I/O.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/config.h"
#include "transport/capabilities.h"

namespace pairbench {

// A value that could not be had as it was asked for.
struct Adjustment {
  std::string option;  // "--window"
  std::string asked;
  std::string effective;
  std::string reason;

  bool operator==(const Adjustment&) const = default;
};

// One transport × test × size, decided down to the last number, or skipped with a reason.
struct Case {
  int transport = 0;  // index into Plan::transports
  Test test = Test::pingpong;
  std::uint64_t size_bytes = 0;
  std::uint64_t window = 1;                 // messages in flight in one direction at most
  std::uint64_t signal_interval = 1;        // every so many sends one is signalled
  std::optional<std::uint64_t> iterations;  // messages (round trips); else duration
  std::chrono::nanoseconds duration{0};
  std::optional<std::uint64_t> warmup_iterations;  // else warmup
  std::chrono::nanoseconds warmup{0};  // of the first case of its transport and test in a repeat
  std::chrono::nanoseconds rewarm{0};  // of the later ones: only the size is new
  bool check = false;
  std::optional<std::string> skipped;  // the reason

  bool runs() const { return !skipped; }
  bool operator==(const Case&) const = default;
};

// What every case of one transport shares, since one endpoint serves them all.
struct TransportPlan {
  TransportSpec spec;
  std::uint64_t max_message_size = 0;  // the largest case that runs
  std::uint64_t tx_depth = 0;          // sends in flight, credits' reserve included
  std::uint64_t rx_depth = 0;          // data receives posted, credits' reserve not included
  std::uint64_t refill_at = 0;         // refill when so few receives are left
  std::uint64_t recv_slots = 0;  // distinct receive buffers (unchecked receives may share them)
  std::uint64_t send_slots = 0;
  std::uint64_t inline_limit = 0;  // UINT64_MAX: whatever the provider offers
  PathOptions path;
  std::vector<Adjustment> adjustments;

  static constexpr std::uint64_t kAlignment = 128;  // of message buffers
  // Bytes from one message buffer to the next.
  std::uint64_t stride() const {
    return std::max(kAlignment, (max_message_size + kAlignment - 1) / kAlignment * kAlignment);
  }

  bool operator==(const TransportPlan&) const = default;
};

struct Plan {
  std::vector<TransportPlan> transports;
  std::vector<Case> cases;
  int repeats = 1;
  std::uint64_t seed = 1;
  CompletionMode completion = CompletionMode::poll;
  ClockChoice clock = ClockChoice::automatic;
  std::chrono::nanoseconds peer_timeout{0};
  std::optional<int> initiator_cpu;  // where the measuring threads are pinned; null: not pinned
  std::optional<int> responder_cpu;
  std::chrono::nanoseconds detour_spin{0};  // how long each end looks for gaps first; 0: not
  std::vector<Adjustment> adjustments;      // of options that concern every transport
  std::uint64_t memory_bytes = 0;           // of one host at most: buffers and samples
  std::chrono::nanoseconds estimated_time{0};

  // The largest number of samples one block of a case keeps raw.
  static constexpr std::uint64_t kMaxBlock = std::uint64_t{1} << 22;
  // Receives and sends kept for credits, beyond the depths asked for. A receiver has at most 7
  // credit messages outstanding: rx_depth / max(1, rx_depth / 4) never exceeds it.
  static constexpr std::uint64_t kCreditReserve = 8;
  static constexpr std::uint64_t kSlotMemory = std::uint64_t{64} << 20;
  // Unless it is asked for: the shortest path measured over RC queue pairs (docs/measuring.md).
  static constexpr std::uint64_t kSignalEvery = 16;

  bool operator==(const Plan&) const = default;
};

// What is known of the two ends of one transport before deciding. Capabilities are missing while
// only `--plan` asks; limits are then taken as unbounded.
struct PairFacts {
  std::optional<Capabilities> initiator;
  std::optional<Capabilities> responder;
  bool one_host = false;

  // The smaller limit of both ends.
  template <class T>
  T limit(T Capabilities::*member, T unbounded) const {
    T result = unbounded;
    if (initiator) result = std::min(result, (*initiator).*member);
    if (responder) result = std::min(result, (*responder).*member);
    return result;
  }

  bool both(bool Capabilities::*member) const {
    return (!initiator || (*initiator).*member) && (!responder || (*responder).*member);
  }
};

// Which CPUs the measuring threads take.
struct Placement {
  std::optional<int> initiator_cpu;
  std::optional<int> responder_cpu;
  bool crowded = false;  // both spin on one CPU, or there are fewer CPUs than spinners
};

// Decides. `pairs` runs parallel to config.transports. Throws a usage Error for what can never run
// (both --iters and --duration, a window of 0, …) and Error(no_device) for a transport that cannot
// reach from one host to the other; what a transport cannot do becomes a skipped case, what it can
// do in part an Adjustment.
Plan make_plan(const Config& config, const std::vector<PairFacts>& pairs,
               const Placement& placement);

// The CPUs that one end may use, and those of them on its NIC's NUMA node. Empty: unknown.
struct EndCpus {
  std::vector<int> allowed;
  std::vector<int> near_nic;
};

// The CPUs that were asked for, else the last ones near the NIC, else the last allowed ones
// (interrupts gather on the first); two different ones where both ends share a host.
Placement place(const Config& config, const EndCpus& initiator, const EndCpus& responder,
                bool one_host);

// The order in which one repeat runs its cases: a seeded permutation of (test, size), and within
// each the transports back to back, rotated by the repeat (AB in even, BA in odd ones for two).
// Indices into plan.cases; skipped cases left out.
std::vector<std::size_t> case_order(const Plan& plan, int repeat);

}  // namespace pairbench
