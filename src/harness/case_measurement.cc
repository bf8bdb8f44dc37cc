#include "harness/case_measurement.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/session.h"
#include "harness/stream_interval.h"
#include "harness/thread_usage.h"

namespace pairbench {
namespace {

using namespace std::chrono_literals;

// Round trips at the head of a measured block that are not counted: the peer may just be coming
// back from the control channel.
constexpr std::uint64_t kLeadIn = 16;
constexpr std::uint64_t kFirstWarmup = 16;
// A remainder of the duration shorter than this share of it is not worth a block of its own.
constexpr double kRemainder = 0.02;

EndCounters to_end(const wire::CaseCounters& c) {
  return {c.messages_sent,
          c.messages_received,
          c.bytes_sent,
          c.bytes_received,
          c.busy_posts,
          c.cpu,
          c.involuntary_context_switches,
          c.minor_page_faults,
          c.major_page_faults};
}

StreamFigures figures_of(std::uint64_t messages, std::uint64_t bytes, std::optional<double> ns) {
  StreamFigures figures{messages, bytes, ns, std::nullopt, std::nullopt};
  if (ns && *ns > 0) {
    figures.delivered_bytes_per_second = static_cast<double>(bytes) * 1e9 / *ns;
    figures.messages_per_second = static_cast<double>(messages) * 1e9 / *ns;
  }
  return figures;
}

}  // namespace

CaseMeasurement::CaseMeasurement(Channel& channel, CaseRunner& runner,
                                 const TransportPlan& transport, const Case& c,
                                 const ClockScale& clock, std::chrono::nanoseconds warmup)
    : channel_(channel),
      runner_(runner),
      transport_(transport),
      case_(c),
      clock_(clock),
      warmup_(warmup) {}

RepeatResult CaseMeasurement::run(int repeat, std::uint64_t case_index) {
  channel_.send(to_message(wire::StartCase{repeat, case_index}));
  from_message<wire::Ready>(receive(Phase::measure, Deadline::after(60s)));
  RepeatResult result;
  result.repeat = repeat;
  warm_up();
  if (case_.test == Test::pingpong)
    measure_pingpong(result);
  else
    measure_stream(result);
  result.warmup_messages = warmup_messages_;
  channel_.send(to_message(wire::EndCase{}));
  const auto report = from_message<wire::CaseReport>(receive(Phase::results, Deadline::after(60s)));
  result.initiator = to_end(counters_);
  result.responder = to_end(report.counters);
  return result;
}

Message CaseMeasurement::receive(Phase phase, Deadline deadline) {
  return channel_.receive(phase, deadline, [this] { runner_.progress(); });
}

// One block on both ends.
CaseMeasurement::Exchange CaseMeasurement::exchange(std::uint64_t messages, bool warmup) {
  channel_.reset_peer_sent();
  const Phase phase = warmup ? Phase::warmup : Phase::measure;
  channel_.send(to_message(wire::Block{messages, warmup}));
  from_message<wire::Ready>(receive(phase, Deadline::after(60s)));
  const ThreadUsage before = ThreadUsage::now();
  Exchange block;
  block.here = in_context(phase, transport_, [&] {
    return runner_.run_block(case_, {messages, stream_time(case_), warmup});
  });
  add_usage(counters_, before, ThreadUsage::now());
  // What is still on its way to the peer took no longer to send than the block did; slow links are
  // given ten times that. A peer that receives nothing more reports it itself, within the peer
  // timeout.
  const auto elapsed =
      std::chrono::nanoseconds(static_cast<std::int64_t>(clock_.to_ns(block.here.elapsed)));
  block.there =
      from_message<wire::BlockResult>(receive(Phase::results, Deadline::after(10 * elapsed + 60s)));
  add_counts(counters_, block.here.counts, case_);
  require_equal_counts(block);
  ns_per_message_ =
      clock_.to_ns(block.here.elapsed) /
      static_cast<double>(std::max(block.here.counts.posted, block.here.counts.received));
  return block;
}

void CaseMeasurement::require_equal_counts(const Exchange& block) const {
  const auto require = [&](const char* what, std::uint64_t sent, std::uint64_t received,
                           std::uint64_t sent_bytes, std::uint64_t received_bytes) {
    if (sent == received && sent_bytes == received_bytes) return;
    throw Error(ExitStatus::failed, Phase::results,
                fmt::format("{}: {} messages ({} bytes) were sent, {} ({} bytes) arrived", what,
                            sent, sent_bytes, received, received_bytes),
                fmt::format("count mismatch, {}", transport_.spec.label));
  };
  const FlowCounts& here = block.here.counts;
  require("initiator to responder", here.posted, block.there.messages_received,
          here.posted * case_.size_bytes, block.there.bytes_received);
  require("responder to initiator", block.there.messages_sent, here.received,
          block.there.bytes_sent, here.received_bytes);
}

void CaseMeasurement::warm_up() {
  if (case_.warmup_iterations) {
    for (std::uint64_t left = *case_.warmup_iterations; left > 0;) {
      const std::uint64_t n = std::min(left, Plan::kMaxBlock);
      exchange(n, true);
      warmup_messages_ += n;
      left -= n;
    }
    return;
  }
  double elapsed_ns = 0;
  for (std::uint64_t n = kFirstWarmup; elapsed_ns < static_cast<double>(warmup_.count());
       n = std::min(2 * n, Plan::kMaxBlock)) {
    // The last block is no longer than what is left.
    if (ns_per_message_ > 0) {
      const double left = (static_cast<double>(warmup_.count()) - elapsed_ns) / ns_per_message_;
      n = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(left), 1, n);
    }
    elapsed_ns += clock_.to_ns(exchange(n, true).here.elapsed);
    warmup_messages_ += n;
  }
}

// How many round trips the next block has.
std::uint64_t CaseMeasurement::block_size(std::uint64_t done, double elapsed_ns) const {
  if (case_.iterations) return std::min(*case_.iterations - done, Plan::kMaxBlock);
  const double left = static_cast<double>(case_.duration.count()) - elapsed_ns;
  if (done > 0 && left < kRemainder * static_cast<double>(case_.duration.count())) return 0;
  if (ns_per_message_ <= 0) return 1;
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(left / ns_per_message_), 1,
                                   Plan::kMaxBlock);
}

void CaseMeasurement::measure_pingpong(RepeatResult& result) {
  Samples samples(clock_);
  const bool warm = warmup_messages_ > 0;
  while (const std::uint64_t n = block_size(result.messages, result.elapsed_ns)) {
    const std::uint64_t lead_in = warm ? std::min(kLeadIn, n) : 0;
    const Exchange block = exchange(n + lead_in, false);
    const auto measured = block.here.samples.subspan(lead_in);
    samples.add(measured);
    warmup_messages_ += lead_in;
    result.messages += n;
    Ticks elapsed = 0;
    for (const Ticks sample : measured) elapsed += sample;
    result.elapsed_ns += clock_.to_ns(elapsed);
  }
  if (samples.clock_faults() > 0)
    throw Error(ExitStatus::failed, Phase::measure,
                fmt::format("{} samples were negative", samples.clock_faults()),
                "the clock ran backwards", "measure with --clock raw");
  result.latency = LatencyFigures{samples.digest(), samples.stored_histogram()};
}

void CaseMeasurement::measure_stream(RepeatResult& result) {
  const Exchange block = exchange(case_.iterations.value_or(0), false);
  result.forward = figures_of(block.there.interval_messages, block.there.interval_bytes,
                              block.there.interval_ns);
  if (case_.test == Test::bistream) {
    const auto back = stream_interval(case_, block.here.stamps, block.here.counts.received, clock_);
    result.backward = figures_of(back.messages, back.bytes, back.ns);
  }
  result.messages = block.here.counts.posted + block.here.counts.received;
  result.elapsed_ns = clock_.to_ns(block.here.elapsed);
}

}  // namespace pairbench
