#include "harness/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <thread>

#include "base/resource_limits.h"
#include "base/units.h"
#include "harness/stream_interval.h"
#include "plan/limits.h"

namespace pairbench {
namespace {

// How long after an error of the data path the control connection may take to show that the peer
// has gone.
constexpr std::chrono::milliseconds kEchoTime{300};

std::string efa_hint(const TransportPlan& transport) {
  if (transport.spec.provider.rfind("efa", 0) != 0) return {};
  return fmt::format(
      "the security group must allow all traffic to and from itself, both directions;\ncheck with: "
      "pairbench hello -t {}",
      transport.spec.text);
}

std::string data_path_hint(const TransportPlan& transport) {
  if (transport.spec.kind == TransportKind::inproc)
    return "both ends are threads of this process and need a CPU each: try --completion yield";
  if (transport.spec.kind == TransportKind::verbs)
    return "check the link by itself: pairbench interop rc_pingpong here, ibv_rc_pingpong there";
  const std::string efa = efa_hint(transport);
  return efa.empty() ? fmt::format("check the data path by itself: pairbench hello -t {}",
                                   transport.spec.text)
                     : efa;
}

void await_echo(const Channel& channel) {
  const Deadline deadline = Deadline::after(kEchoTime);
  while (!channel.interrupted().load() && !deadline.passed())
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

// Runs the session; turns every way to end early into Error or Interrupted.
void run_to_its_cause(Channel& channel, const std::function<void()>& session) {
  try {
    with_the_cause(channel, session);
  } catch (const ProtocolError& error) {
    Failure failure = error.failure();
    failure.host = channel.peer_name();
    throw Error(std::move(failure));
  } catch (const Error& error) {
    if (error.failure().phase >= Phase::open) {
      await_echo(channel);
      channel.throw_if_interrupted(error.failure().phase);
    }
    throw;
  } catch (const Interrupted&) {
    throw;
  } catch (const std::system_error& error) {
    throw Error(failure_of(error));
  } catch (const std::bad_alloc&) {
    throw Error(out_of_memory());
  } catch (const std::exception& error) {
    throw Error(ExitStatus::failed, Phase::measure, error.what());
  }
}

}  // namespace

Link make_link(Channel& channel, const Plan& plan) {
  return {channel.interrupted(),
          channel.peer_sent(),
          [&channel](std::uint64_t messages) { channel.send(to_message(wire::Sent{messages})); },
          plan.peer_timeout,
          plan.completion == CompletionMode::yield,
          plan.completion == CompletionMode::event,
          channel.peer_name(),
          {}};
}

std::chrono::nanoseconds time_to_answer(std::chrono::nanoseconds peer_timeout) {
  constexpr int kTimeouts = 6;
  return kTimeouts * std::min(peer_timeout, std::chrono::nanoseconds::max() / (2 * kTimeouts));
}

std::chrono::nanoseconds time_to_set_up(std::chrono::nanoseconds peer_timeout) {
  return 2 * time_to_answer(peer_timeout);
}

std::chrono::nanoseconds stream_time(const Case& c) {
  const double ns = static_cast<double>(c.duration.count()) * (1 + kRampShare);
  return std::chrono::nanoseconds(static_cast<std::int64_t>(ns));
}

std::chrono::nanoseconds longest_block(const Case& c, std::uint64_t messages,
                                       std::chrono::nanoseconds peer_timeout) {
  constexpr double kMargin = 10;
  constexpr double kNsPerMessage = 1e9;  // a satellite's round trip
  constexpr double kNsPerByte = 1e5;     // 80 kbit/s
  const double bytes_ns = kNsPerByte * static_cast<double>(c.size_bytes);
  const double ns = messages > 0
                        ? static_cast<double>(messages) * (kNsPerMessage + bytes_ns)
                        : kMargin * static_cast<double>(stream_time(c).count()) +
                              static_cast<double>(c.window) * bytes_ns;  // what is still on its way
  const auto most = std::chrono::nanoseconds(limits::kSession);
  if (ns > static_cast<double>(most.count())) return most;
  const auto own = std::chrono::nanoseconds(static_cast<std::int64_t>(ns));
  return std::min(most, own + time_to_answer(peer_timeout));
}

TimedBlock::TimedBlock(Link& link, const Case& c, std::uint64_t messages) : link_(link) {
  const auto longest = longest_block(c, messages, link.peer_timeout);
  link.limit = {Deadline::after(longest), longest};
}

void add_counts(EndCounters& counters, const FlowCounts& counts, const Case& c) {
  counters.messages_sent += counts.posted;
  counters.messages_received += counts.received;
  counters.bytes_sent += counts.posted * c.size_bytes;
  counters.bytes_received += counts.received_bytes;
  counters.busy_posts += counts.busy_posts;
}

void throw_in_context(const Error& error, Phase phase, const TransportPlan& transport) {
  Failure failure = error.failure();
  if (failure.phase == Phase::measure) failure.phase = phase;
  if (failure.message.find(transport.spec.label) == std::string::npos)
    failure.message += fmt::format(" ({}, {})", to_string(failure.phase), transport.spec.label);
  if (failure.hint.empty() && failure.status == ExitStatus::peer)
    failure.hint = data_path_hint(transport);
  throw Error(failure);
}

void telling_the_peer(Channel& channel, const std::function<void()>& session) {
  try {
    run_to_its_cause(channel, session);
  } catch (const Error& error) {
    Failure told = error.failure();
    if (told.host == channel.peer_name()) told.host.clear();  // there it is this end that is meant
    channel.fail(told);
    throw;
  } catch (...) {
    channel.fail({ExitStatus::peer, Phase::measure, "the run was interrupted there", "", "", ""});
    throw;
  }
}

}  // namespace pairbench
