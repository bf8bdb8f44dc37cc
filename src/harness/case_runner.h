// One transport of one repeat, types erased: a virtual call per block, templates inside.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/checkpoint.h"
#include "base/clock.h"
#include "harness/workspace.h"
#include "plan/plan.h"
#include "transport/capabilities.h"
#include "transport/endpoint.h"
#include "workload/flow.h"
#include "workload/link.h"
#include "workload/pingpong.h"
#include "workload/stamped_endpoint.h"

namespace pairbench {

enum class Role { initiator, responder };

// A stretch of one case between two barriers.
struct BlockJob {
  std::uint64_t messages =
      0;  // round trips or messages each way; 0: a stream until `duration` is up
  std::chrono::nanoseconds duration{0};  // of the sender
  bool warmup = false;
  // Not 0: a ping-pong in which chunks of so many round trips alternate with a stamp each and with
  // two for the whole chunk; `messages` is a multiple of two chunks.
  std::uint64_t probe_chunk = 0;
  bool split = false;  // a ping-pong whose calls are stamped
};

// What one end knows of its block. The spans lie in the workspace and live until the next block.
struct BlockOutcome {
  FlowCounts counts;
  Ticks elapsed = 0;
  std::span<const Ticks> samples;      // ping-pong, initiator
  std::span<const ProbePair> probes;   // ping-pong with probe_chunk
  std::span<const Checkpoint> stamps;  // stream, receiver
  CallTicks calls;                     // ping-pong with split
};

// Owner: the measuring thread. Endpoint, regions, buffers and connection are this object's own and
// go with it.
class CaseRunner {
 public:
  virtual ~CaseRunner() = default;

  virtual AddressBlob address() const = 0;
  virtual void connect(const AddressBlob& peer) = 0;
  // The first message each way, carrying the token; the initiator's ticks from send to reply.
  virtual Ticks first_message(std::span<const std::byte> token) = 0;
  virtual BlockOutcome run_block(const Case& c, const BlockJob& job) = 0;
  // Between two blocks nothing is due. Throws Error(failed, measure) when a completion comes
  // nevertheless.
  virtual void require_quiet() = 0;
  // Lets a provider with manual progress move, without taking completions.
  virtual void progress() = 0;
};

// What a runner is made from besides its device.
struct RunnerContext {
  Role role;
  const TransportPlan& plan;
  const ClockScale& clock;
  const Link& link;
  Workspace& workspace;
};

class TransportDevice {
 public:
  virtual ~TransportDevice() = default;
  virtual const Capabilities& capabilities() const = 0;
  virtual std::unique_ptr<CaseRunner> make_runner(const RunnerContext& context) = 0;
};

}  // namespace pairbench
