#include "plan/transport_planner.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>

namespace pairbench {
namespace {

// Buffers that stay in the cache: more than this many bytes of distinct receive buffers are used
// only when their content is checked, which forbids sharing them. A page, as perftest's cycle.
constexpr std::uint64_t kHotMemory = std::uint64_t{4} << 10;

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

  PlannedTransport planned() && { return {std::move(plan_), window_}; }

 private:
  // Lowers `value` to `bound`, on the record.
  void lower(std::uint64_t& value, std::uint64_t bound, const char* option, const char* reason) {
    if (value <= bound) return;
    plan_.adjustments.push_back({option, std::to_string(value), std::to_string(bound), reason});
    value = bound;
  }

  std::uint64_t slots_in(std::uint64_t memory) const { return memory / plan_.stride(); }

  void plan_rx_depth(bool distinct_buffers) {
    plan_.rx_depth = config_.rx_depth.value_or(std::max<std::uint64_t>(512, config_.window));
    const auto device = pair_.limit(&Capabilities::max_rx_depth, SIZE_MAX);
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
            : std::bit_floor(std::clamp<std::uint64_t>(slots_in(kHotMemory), 1, posted));
  }

  void plan_inline() {
    plan_.inline_limit = UINT64_MAX;
    if (config_.inline_choice.automatic) return;
    plan_.inline_limit = config_.inline_choice.limit;
    lower(plan_.inline_limit, pair_.limit(&Capabilities::max_inline, SIZE_MAX), "--inline",
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
    const auto device = pair_.limit(&Capabilities::max_tx_depth, SIZE_MAX);
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

}  // namespace

PlannedTransport plan_transport(const Config& config, const TransportSpec& spec,
                                const PairFacts& pair, const std::vector<Test>& tests,
                                std::uint64_t largest) {
  return TransportPlanner(config, spec, pair, tests, largest).planned();
}

}  // namespace pairbench
