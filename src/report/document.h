// The result of a run, as it is stored: every field of results/schema.json. Unit in the name; null
// is "not measured". Written by harness, read by every view.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/detours.h"
#include "base/error.h"
#include "base/host_facts.h"
#include "plan/end_counters.h"
#include "plan/plan.h"
#include "stats/estimate.h"
#include "stats/histogram.h"
#include "stats/samples.h"
#include "transport/capabilities.h"

namespace pairbench {

inline constexpr int kSchemaVersion = 1;

struct RunInfo {
  std::string id;          // uuid
  std::string started_at;  // RFC 3339, UTC
  std::optional<std::string> ended_at;
  std::vector<std::string> argv;
  std::uint64_t seed = 0;
  bool complete = false;
  std::optional<Failure> failure;  // why it is not complete
};

struct TransportResult {
  TransportPlan plan;  // asked and effective
  std::optional<Capabilities> initiator;
  std::optional<Capabilities> responder;
  bool one_host = false;  // both ends on one machine: not a network measurement
};

// One direction of a stream, on the receiver's stamps.
struct StreamFigures {
  std::uint64_t interval_messages = 0;
  std::uint64_t interval_bytes = 0;
  std::optional<double> interval_ns;  // null: too few messages for an interval
  std::optional<double> delivered_bytes_per_second;
  std::optional<double> messages_per_second;
  bool steady = true;  // false: a timed stream without a part without its ends, or few windows
};

// What the clock readings themselves cost: the same round trips with and without them, side by
// side.
struct ProbeFigures {
  std::uint64_t chunk = 0;   // round trips between two stamps
  std::uint64_t pairs = 0;   // of chunks
  double batch_mean_ns = 0;  // of a round trip without a stamp of its own
  Estimate effect_ns;        // how much longer one with its own stamp takes: median over the pairs
};

// Where a round trip's time went on the initiator's thread; means per round trip, of round trips
// whose calls were stamped. Each part includes the cost of a stamp or two.
struct CallSplit {
  std::uint64_t round_trips = 0;
  double post_send_ns = 0;
  double post_recv_ns = 0;
  double poll_ns = 0;  // in the polls that brought something
  double wait_ns = 0;  // all else: the network, the peer, empty polls
};

struct LatencyFigures {
  QuantileSet rtt_ns;
  LogHistogram histogram;  // of RTTs in picoseconds
  std::vector<LargeSample> largest;
  std::optional<ProbeFigures> probe;  // null: too few round trips to tell
  std::optional<CallSplit> split;     // null: too few round trips, or checked payloads
  bool converged = true;  // false: round trips were still getting faster or slower half-way through
};

struct RepeatResult {
  int repeat = 0;
  std::uint64_t position = 0;  // in the repeat's order
  std::uint64_t messages = 0;  // timed
  double elapsed_ns = 0;
  std::uint64_t warmup_messages = 0;
  std::optional<double> first_message_ns;  // on the fresh endpoint; only on its first case
  std::optional<LatencyFigures> latency;   // pingpong
  std::optional<StreamFigures> forward;    // initiator -> responder: stream, bistream
  std::optional<StreamFigures> backward;   // responder -> initiator: bistream
  EndCounters initiator;
  EndCounters responder;
};

struct SplitSummary {
  std::optional<Estimate> post_send, post_recv, poll, wait;
};

struct LatencySummary {
  std::optional<Estimate> min, p50, p90, p99, p99_9, max, mean;
  std::optional<Estimate> batch_mean;    // round trips without a stamp of their own
  std::optional<Estimate> probe_effect;  // what a stamp adds to one
  std::optional<SplitSummary> split;
};

struct CaseSummary {
  std::optional<LatencySummary> rtt_ns;
  // Of both directions together for bistream; per direction beside it.
  std::optional<Estimate> delivered_bytes_per_second;
  std::optional<Estimate> messages_per_second;
  std::optional<Estimate> forward_bytes_per_second;
  std::optional<Estimate> backward_bytes_per_second;
};

// A: nothing to say. B: something to know. C: no verdict may rest on it.
enum class Grade { a, b, c };
std::string_view to_string(Grade grade);

// What the measurement says about its own quality; see report/quality.h for the flags.
struct Quality {
  Grade grade = Grade::a;
  std::vector<std::string> flags;  // INVOL_CSW, …; in the order of their definition

  bool operator==(const Quality&) const = default;
};

enum class CaseStatus { ok, skipped, failed, not_run };
std::string_view to_string(CaseStatus status);

struct CaseResult {
  Case plan;
  CaseStatus status = CaseStatus::not_run;
  std::string reason;  // of skipped and failed
  std::vector<RepeatResult> repeats;
  CaseSummary summary;
  std::optional<Quality> quality;  // null: nothing was measured
};

struct Warning {
  std::string code;     // INVOL_CSW, ONE_HOST, …
  std::string message;  // a sentence with a remedy
  std::string host;     // empty: both
};

struct ResultDocument {
  std::string tool_version;
  RunInfo run;
  HostFacts initiator_host;
  std::optional<HostFacts> responder_host;
  std::string control_address;  // of the responder, as connected; empty for in-process runs
  std::optional<ClockScale> clock;
  std::optional<ClockScale> responder_clock;
  std::optional<bool> samples_locked;  // the memory for samples is kept from being paged out
  std::optional<int> pinned_cpu;  // of the initiator's measuring thread; null: it was not pinned
  std::optional<int> responder_pinned_cpu;
  std::optional<Detours> detours;  // of the initiator's CPU, before anything was measured
  std::optional<Detours> responder_detours;
  Config config;
  int repeats = 1;
  std::vector<Adjustment> adjustments;  // of options that concern every transport
  std::vector<TransportResult> transports;
  std::vector<CaseResult> cases;
  std::vector<Warning> warnings;
};

// The figures of one case, from its repeats or from some of them. Quantiles and rates: the median
// of the repeats, by over_repeats; null where one repeat lacks the figure. min and max: the
// smallest and largest of all repeats, without an interval. One repeat: its own within-run
// interval, where it has one. Bytes a second of zero-byte messages: null.
CaseSummary summary_of(Test test, std::uint64_t size_bytes, std::span<const RepeatResult> repeats);

// Fills `summary` of one case from all its repeats.
void summarize(CaseResult& result);

}  // namespace pairbench
