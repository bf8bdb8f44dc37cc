// The result of a run, as it is stored: every field of results/schema.json. Unit in the name; null
// is "not measured". Written by harness, read by every view.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/host_facts.h"
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

// What one end counted around one case of one repeat. nullopt: unreadable.
struct EndCounters {
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t busy_posts = 0;  // posts that found the queue full
  std::optional<int> cpu;        // where the measuring thread ran
  std::optional<std::uint64_t> involuntary_context_switches;
  std::optional<std::uint64_t> minor_page_faults;
  std::optional<std::uint64_t> major_page_faults;
};

// One direction of a stream, on the receiver's stamps.
struct StreamFigures {
  std::uint64_t interval_messages = 0;
  std::uint64_t interval_bytes = 0;
  std::optional<double> interval_ns;  // null: too few messages for an interval
  std::optional<double> delivered_bytes_per_second;
  std::optional<double> messages_per_second;
};

struct LatencyFigures {
  QuantileSet rtt_ns;
  LogHistogram histogram;  // of RTTs in picoseconds
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

struct LatencySummary {
  std::optional<Estimate> min, p50, p90, p99, p99_9, max, mean;
};

struct CaseSummary {
  std::optional<LatencySummary> rtt_ns;
  // Of both directions together for bistream; per direction beside it.
  std::optional<Estimate> delivered_bytes_per_second;
  std::optional<Estimate> messages_per_second;
  std::optional<Estimate> forward_bytes_per_second;
  std::optional<Estimate> backward_bytes_per_second;
};

enum class CaseStatus { ok, skipped, failed, not_run };
std::string_view to_string(CaseStatus status);

struct CaseResult {
  Case plan;
  CaseStatus status = CaseStatus::not_run;
  std::string reason;  // of skipped and failed
  std::vector<RepeatResult> repeats;
  CaseSummary summary;
};

struct Warning {
  std::string code;     // SHARED_CPU, ONE_HOST, …
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
  Config config;
  int repeats = 1;
  std::vector<Adjustment> adjustments;  // of options that concern every transport
  std::vector<TransportResult> transports;
  std::vector<CaseResult> cases;
  std::vector<Warning> warnings;
};

// Fills `summary` of one case from its repeats. Quantiles and rates: the median of the repeats, by
// over_repeats; null where one repeat lacks the figure. min and max: the smallest and largest of
// all repeats, without an interval. One repeat: its own within-run interval, where it has one.
// Bytes a second of zero-byte messages: null.
void summarize(CaseResult& result);

}  // namespace pairbench
