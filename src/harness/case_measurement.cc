#include "harness/case_measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "harness/count_check.h"
#include "harness/disturbances.h"
#include "harness/probe_figures.h"
#include "harness/session.h"
#include "harness/stream_interval.h"
#include "stats/warmup_cut.h"

namespace pairbench {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kFirstWarmup = 16;
constexpr std::uint64_t kLargeMessage = std::uint64_t{1} << 20;  // warmed up one by one
constexpr std::chrono::nanoseconds kLongestBlock = 250ms;
constexpr std::uint64_t kProbeChunk = 1000;
constexpr std::uint64_t kShortestChunk = 2;  // one round trip has a stamp of its own either way
constexpr std::uint64_t kMostSplit = 10000;
constexpr std::uint64_t kFewestSplit = 10;
constexpr std::uint64_t kFewestProbes = 6;  // below, their median has no interval
// A remainder of the duration shorter than this share of it is not worth a block of its own.
constexpr double kRemainder = 0.02;

StreamFigures figures_of(const StreamInterval& interval) {
  StreamFigures figures;
  figures.interval_messages = interval.messages;
  figures.interval_bytes = interval.bytes;
  figures.interval_ns = interval.ns;
  figures.steady = interval.steady;
  if (interval.ns && *interval.ns > 0) {
    figures.delivered_bytes_per_second = static_cast<double>(interval.bytes) * 1e9 / *interval.ns;
    figures.messages_per_second = static_cast<double>(interval.messages) * 1e9 / *interval.ns;
  }
  return figures;
}

}  // namespace

CaseMeasurement::CaseMeasurement(Channel& channel, CaseRunner& runner,
                                 const TransportPlan& transport, const Case& c,
                                 const ClockScale& clock, std::chrono::nanoseconds warmup,
                                 std::string nic, Link& link)
    : channel_(channel),
      runner_(runner),
      transport_(transport),
      case_(c),
      clock_(clock),
      warmup_(warmup),
      nic_(std::move(nic)),
      link_(link),
      answer_within_(time_to_answer(link.peer_timeout)) {}

RepeatResult CaseMeasurement::run(int repeat, std::uint64_t case_index) {
  const MachineState before = MachineState::now(nic_);
  channel_.send(to_message(wire::StartCase{repeat, case_index}));
  from_message<wire::Ready>(receive(Phase::measure, Deadline::after(answer_within_)));
  RepeatResult result;
  result.repeat = repeat;
  warm_up();
  if (case_.test == Test::pingpong)
    measure_pingpong(result);
  else
    measure_stream(result);
  result.warmup_messages = warmup_messages_;
  channel_.send(to_message(wire::EndCase{}));
  add_changes(counters_, before, MachineState::now(nic_));
  result.initiator = counters_;
  result.responder =
      from_message<wire::CaseReport>(receive(Phase::results, Deadline::after(answer_within_)))
          .counters;
  require_equal_counts(counters_, result.responder, transport_);
  return result;
}

Message CaseMeasurement::receive(Phase phase, Deadline deadline) {
  return channel_.receive(phase, deadline, [this] { runner_.progress(); });
}

// One block on both ends.
CaseMeasurement::Exchange CaseMeasurement::exchange(const BlockJob& job) {
  channel_.reset_peer_sent();
  const Phase phase = job.warmup ? Phase::warmup : Phase::measure;
  channel_.send(to_message(wire::Block{job.messages, job.warmup}));
  from_message<wire::Ready>(receive(phase, Deadline::after(answer_within_)));
  const ThreadUsage before = ThreadUsage::now();
  Exchange block;
  block.here = in_context(phase, transport_, [&] {
    const TimedBlock timed(link_, case_, job.messages);
    return runner_.run_block(case_, job);
  });
  if (!job.warmup) add_usage(counters_, before, ThreadUsage::now());
  // What is still on its way to the peer took no longer to send than the block did; slow links are
  // given ten times that. A peer that receives nothing more reports it itself, within the peer
  // timeout.
  const auto elapsed =
      std::chrono::nanoseconds(static_cast<std::int64_t>(clock_.to_ns(block.here.elapsed)));
  block.there = from_message<wire::BlockResult>(
      receive(Phase::results, Deadline::after(10 * elapsed + answer_within_)));
  add_counts(counters_, block.here.counts, case_);
  EndCounters here;
  add_counts(here, block.here.counts, case_);
  require_equal_counts(here, counters_of(block.there), transport_);
  require_possible_interval(block.there, case_);
  in_context(Phase::results, transport_, [&] { runner_.require_quiet(); });
  ns_per_message_ =
      clock_.to_ns(block.here.elapsed) /
      static_cast<double>(std::max(block.here.counts.posted, block.here.counts.received));
  return block;
}

void CaseMeasurement::warm_up() {
  if (case_.warmup_iterations) {
    for (std::uint64_t left = *case_.warmup_iterations; left > 0;) {
      const std::uint64_t n = std::min(left, Plan::kMaxBlock);
      exchange({n, stream_time(case_), true});
      warmup_messages_ += n;
      left -= n;
    }
    return;
  }
  double elapsed_ns = 0;
  const std::uint64_t first = case_.size_bytes > kLargeMessage ? 1 : kFirstWarmup;
  for (std::uint64_t n = first; elapsed_ns < static_cast<double>(warmup_.count());
       n = std::min(2 * n, Plan::kMaxBlock)) {
    // The last block is no longer than what is left.
    if (ns_per_message_ > 0) {
      const double left = (static_cast<double>(warmup_.count()) - elapsed_ns) / ns_per_message_;
      n = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(left), 1, n);
    }
    elapsed_ns += clock_.to_ns(exchange({n, stream_time(case_), true}).here.elapsed);
    warmup_messages_ += n;
  }
}

// How many round trips the next block has.
std::uint64_t CaseMeasurement::block_size(std::uint64_t done, double elapsed_ns) const {
  if (case_.iterations) return std::min(*case_.iterations - done, Plan::kMaxBlock);
  const double left = static_cast<double>(case_.duration.count()) - elapsed_ns;
  if (done > 0 && left < kRemainder * static_cast<double>(case_.duration.count())) return 0;
  if (ns_per_message_ <= 0) return 1;
  // Their number is agreed beforehand: in pieces, a host that grows slower does not stretch it all.
  const double piece = std::min(left, static_cast<double>(kLongestBlock.count()));
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(piece / ns_per_message_), 1,
                                   Plan::kMaxBlock);
}

// What the given warm-up left: only where its length is ours to choose, since who asks for n
// messages gets the samples of n messages.
std::span<const Ticks> CaseMeasurement::without_warmup(std::span<const Ticks> samples,
                                                       LatencyFigures& latency) {
  const WarmupCut cut = warmup_cut(samples);
  latency.converged = cut.converged;
  if (case_.iterations || case_.warmup_iterations) return samples;
  warmup_messages_ += cut.samples;
  return samples.subspan(cut.samples);
}

void CaseMeasurement::measure_pingpong(RepeatResult& result) {
  Samples samples(clock_);
  LatencyFigures latency;
  const bool warm = warmup_messages_ > 0;
  std::uint64_t done = 0;
  double elapsed_ns = 0;
  while (const std::uint64_t n = block_size(done, elapsed_ns)) {
    const std::uint64_t lead_in = warm ? std::min(kLeadIn, n) : 0;
    const Exchange block = exchange({n + lead_in, {}, false});
    auto measured = block.here.samples.subspan(lead_in);
    warmup_messages_ += lead_in;
    elapsed_ns += clock_.to_ns(std::accumulate(measured.begin(), measured.end(), Ticks{0}));
    // Without a warm-up the first block is of one message, which tells how many make a block.
    if (done <= 1) measured = without_warmup(measured, latency);
    done += n;
    samples.add(measured);
    result.messages += measured.size();
    result.elapsed_ns += clock_.to_ns(std::accumulate(measured.begin(), measured.end(), Ticks{0}));
  }
  if (samples.clock_faults() > 0)
    throw Error(ExitStatus::failed, Phase::measure,
                fmt::format("{} samples were negative", samples.clock_faults()),
                "the clock ran backwards", "measure with --clock raw");
  latency.rtt_ns = samples.digest();
  latency.histogram = samples.stored_histogram();
  latency.largest = samples.largest();
  latency.probe = probe(done);
  latency.split = split(done);
  result.latency = std::move(latency);
}

// A quarter as many round trips as were measured, half of them without a stamp of their own.
std::optional<ProbeFigures> CaseMeasurement::probe(std::uint64_t measured) {
  const std::uint64_t each = std::min(measured / 8, Plan::kMaxBlock / 2);
  const std::uint64_t chunk = std::min(kProbeChunk, each / kFewestProbes);
  if (chunk < kShortestChunk) return std::nullopt;
  const std::uint64_t pairs = each / chunk;
  const Exchange block = exchange({.messages = 2 * chunk * pairs, .probe_chunk = chunk});
  return probe_figures(block.here.probes, chunk, clock_);
}

// An eighth as many round trips as were measured, their calls stamped.
std::optional<CallSplit> CaseMeasurement::split(std::uint64_t measured) {
  const std::uint64_t n = std::min(measured / 8, kMostSplit);
  if (n < kFewestSplit || case_.check) return std::nullopt;
  const Exchange block = exchange({.messages = n, .split = true});
  const auto each = [&](Ticks ticks) { return clock_.to_ns(ticks) / static_cast<double>(n); };
  const CallTicks& calls = block.here.calls;
  const Ticks waited = block.here.elapsed - calls.post_send - calls.post_recv - calls.poll;
  return CallSplit{n, each(calls.post_send), each(calls.post_recv), each(calls.poll), each(waited)};
}

void CaseMeasurement::measure_stream(RepeatResult& result) {
  const Exchange block = exchange({case_.iterations.value_or(0), stream_time(case_), false});
  const wire::BlockResult& there = block.there;
  result.forward =
      figures_of({there.interval_messages, there.interval_bytes, there.interval_ns, there.steady});
  if (case_.test == Test::bistream)
    result.backward =
        figures_of(stream_interval(case_, block.here.stamps, block.here.counts.received, clock_));
  result.messages = block.here.counts.posted + block.here.counts.received;
  result.elapsed_ns = clock_.to_ns(block.here.elapsed);
}

}  // namespace pairbench
