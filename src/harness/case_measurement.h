// The initiator's side of one case of one repeat: warm-up, measured blocks, counts checked against
// the peer's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/clock.h"
#include "control/channel.h"
#include "control/messages.h"
#include "harness/case_runner.h"
#include "report/document.h"
#include "stats/samples.h"
#include "workload/link.h"

namespace pairbench {

class CaseMeasurement {
 public:
  // Round trips at the head of a measured block that are not counted: the peer may just be coming
  // back from the control channel.
  static constexpr std::uint64_t kLeadIn = 16;

  // `warmup`: how long at least; the case's iterations take precedence where they were asked for.
  // `nic`: this end's adapter, whose counters are read before and after. `link`: what the runner
  // waits on.
  CaseMeasurement(Channel& channel, CaseRunner& runner, const TransportPlan& transport,
                  const Case& c, const ClockScale& clock, std::chrono::nanoseconds warmup,
                  std::string nic, Link& link);

  // Throws Error: whatever the data path or the peer reports; failed when both ends' counts differ.
  RepeatResult run(int repeat, std::uint64_t case_index);

 private:
  struct Exchange {
    BlockOutcome here;
    wire::BlockResult there;
  };

  Exchange exchange(const BlockJob& job);
  Message receive(Phase phase, Deadline deadline);

  void warm_up();
  void measure_pingpong(RepeatResult& result);
  std::span<const Ticks> without_warmup(std::span<const Ticks> samples, LatencyFigures& latency);
  std::optional<ProbeFigures> probe(std::uint64_t measured);
  std::optional<CallSplit> split(std::uint64_t measured);
  void measure_stream(RepeatResult& result);
  std::uint64_t block_size(std::uint64_t done, double elapsed_ns) const;

  Channel& channel_;
  CaseRunner& runner_;
  const TransportPlan& transport_;
  const Case& case_;
  const ClockScale& clock_;
  const std::chrono::nanoseconds warmup_;
  const std::string nic_;
  Link& link_;
  const std::chrono::nanoseconds answer_within_;  // the peer, with a message that is due
  EndCounters counters_;
  std::uint64_t warmup_messages_ = 0;
  double ns_per_message_ = 0;  // as the latest block took; 0 before the first
};

}  // namespace pairbench
