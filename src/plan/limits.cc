#include "plan/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/units.h"
#include "plan/costs.h"

namespace pairbench {
namespace {

using std::chrono::nanoseconds;

std::string printed(std::uint64_t number) {
  return std::to_string(number);
}

std::string printed(nanoseconds time) {
  return format_duration(time);
}

// "a receive depth of 20000000".
template <class Value>
void at_most(const char* what, Value asked, Value most) {
  if (asked <= most) return;
  throw Error(
      ExitStatus::peer, Phase::plan,
      fmt::format("the plan has {} of {}, the limit is {}", what, printed(asked), printed(most)),
      {}, "ask for less in one run; `pairbench serve --help` has all limits");
}

template <class Value>
void at_most(const char* what, const std::optional<Value>& asked, Value most) {
  if (asked) at_most(what, *asked, most);
}

void must(bool holds, const char* what) {
  if (holds) return;
  throw Error(ExitStatus::peer, Phase::plan, fmt::format("the plan contradicts itself: {}", what),
              {}, "install the same version of pairbench on both hosts");
}

bool within(const std::optional<int>& value, int low, int high) {
  return !value || (*value >= low && *value <= high);
}

void check_path(const TransportPlan& transport) {
  const PathOptions& path = transport.path;
  must(within(path.mtu_bytes, 256, 4096), "an MTU is of 256 to 4096 bytes");
  must(within(path.service_level, 0, 15), "a service level is 0 to 15");
  must(within(path.traffic_class, 0, 255), "a traffic class is 0 to 255");
}

void check_transport(const TransportPlan& transport) {
  at_most<std::uint64_t>("a label's length", transport.spec.label.size(), limits::kLabel);
  at_most("a receive depth", transport.rx_depth, limits::kDepth);
  at_most("a send depth", transport.tx_depth, limits::kDepth + Plan::kCreditReserve);
  at_most("a message size", transport.max_message_size, limits::kMessageSize);
  must(transport.rx_depth > 0, "nothing is received");
  must(transport.tx_depth > Plan::kCreditReserve, "nothing is sent");
  must(transport.refill_at < transport.rx_depth, "a receive is replaced before it is used");
  const std::uint64_t posted = transport.rx_depth + Plan::kCreditReserve;
  must(transport.recv_slots == posted ||
           (std::has_single_bit(transport.recv_slots) && transport.recv_slots < posted),
       "receives do not take turns in their buffers");
  must(transport.send_slots > 0 && transport.send_slots <= transport.tx_depth,
       "sends do not fit their buffers");
  check_path(transport);
}

void check_case(const Case& c, const Plan& plan) {
  must(c.transport >= 0 && static_cast<std::size_t>(c.transport) < plan.transports.size(),
       "a case has no transport");
  const TransportPlan& transport = plan.transports[static_cast<std::size_t>(c.transport)];
  must(!c.runs() || c.size_bytes <= transport.max_message_size,
       "a message is larger than the buffers");
  must(c.window > 0 && c.window <= transport.tx_depth - Plan::kCreditReserve,
       "a window does not fit the send depth");
  must(c.signal_interval > 0, "no send is signalled");
  at_most("a number of messages", c.iterations, limits::kMessages);
  at_most("a number of warm-up messages", c.warmup_iterations, limits::kMessages);
  for (const nanoseconds time : {c.duration, c.warmup, c.rewarm}) {
    must(time >= nanoseconds::zero(), "a time is negative");
    at_most<nanoseconds>("a duration", time, limits::kSession);
  }
}

// What is timed takes so long at least, however fast the transport.
nanoseconds shortest_time(const Plan& plan) {
  constexpr double kForEver = 9e18;
  double repeat = 0;
  for (const Case& c : plan.cases)
    if (c.runs()) repeat += static_cast<double>((c.duration + c.rewarm).count());
  const double all = std::min(kForEver, repeat * plan.repeats);
  return nanoseconds(static_cast<std::int64_t>(all));
}

[[noreturn]] void refuse_greeting(const std::string& message, const char* hint) {
  throw Error(ExitStatus::peer, Phase::hello, message, {}, hint);
}

}  // namespace

void require_lawful(const std::vector<TransportSpec>& transports) {
  if (transports.size() > limits::kTransports)
    refuse_greeting(fmt::format("the peer asks for {} transports, the limit is {}",
                                transports.size(), limits::kTransports),
                    "ask for fewer -t in one run");
  std::set<std::string_view> labels;
  for (const TransportSpec& spec : transports) {
    for (const std::string* text :
         {&spec.label, &spec.text, &spec.provider, &spec.device, &spec.peer_device})
      if (text->size() > limits::kLabel)
        refuse_greeting(fmt::format("the peer names a transport in {} characters, the limit is {}",
                                    text->size(), limits::kLabel),
                        "give it a shorter name");
    if (!labels.insert(spec.label).second)
      refuse_greeting(fmt::format("the peer calls two transports '{}'", shortened(spec.label)),
                      "give one a name of its own: label=TRANSPORT");
  }
}

std::uint64_t least_memory(const std::vector<TransportSpec>& transports) {
  Plan least;
  for (const TransportSpec& spec : transports) least.transports.emplace_back().spec = spec;
  return memory_needed(least);
}

void require_lawful(const Plan& plan) {
  at_most<std::uint64_t>("a number of transports", plan.transports.size(), limits::kTransports);
  at_most<std::uint64_t>("a number of cases", plan.cases.size(), limits::kCases);
  must(plan.repeats > 0, "nothing is repeated");
  at_most<std::uint64_t>("a number of repeats", static_cast<std::uint64_t>(plan.repeats),
                         limits::kRepeats);
  must(plan.peer_timeout > nanoseconds::zero(), "the peer timeout is not positive");
  must(plan.detour_spin >= nanoseconds::zero() && plan.estimated_time >= nanoseconds::zero(),
       "a time is negative");
  at_most<nanoseconds>("a peer timeout", plan.peer_timeout, limits::kPeerTimeout);
  at_most<nanoseconds>("a look for gaps", plan.detour_spin, limits::kDetourSpin);
  for (const TransportPlan& transport : plan.transports) check_transport(transport);
  for (const Case& c : plan.cases) check_case(c, plan);
  at_most<nanoseconds>("a time to measure", shortest_time(plan), limits::kSession);
}

}  // namespace pairbench
