#include "report/repeat_json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "plan/end_counters.h"
#include "plan/json.h"
#include "plan/json_fields.h"
#include "report/json_members.h"

namespace pairbench {
namespace {

using Json = nlohmann::ordered_json;

Json rate(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

using Number = Json (*)(double);

Json optional_number(const std::optional<double>& value, Number number) {
  return value ? number(*value) : Json(nullptr);
}

Json estimate_json(const std::optional<Estimate>& estimate, Number number) {
  if (!estimate || !std::isfinite(estimate->value)) return nullptr;
  return {{"value", number(estimate->value)},
          {"low", optional_number(estimate->low, number)},
          {"high", optional_number(estimate->high, number)}};
}

Estimate estimate_from_json(const Json& json) {
  Estimate estimate;
  read_field(json, "value", estimate.value);
  read_field(json, "low", estimate.low);
  read_field(json, "high", estimate.high);
  return estimate;
}

void read_estimate(const Json& json, const char* name, std::optional<Estimate>& out) {
  read_optional(json, name, out, estimate_from_json);
}

template <class Quantiles>
void add_quantiles(Json& json, const Quantiles& q) {
  json["min"] = estimate_json(q.min, nanoseconds);
  json["p50"] = estimate_json(q.p50, nanoseconds);
  json["p90"] = estimate_json(q.p90, nanoseconds);
  json["p99"] = estimate_json(q.p99, nanoseconds);
  json["p99_9"] = estimate_json(q.p99_9, nanoseconds);
  json["max"] = estimate_json(q.max, nanoseconds);
  json["mean"] = estimate_json(q.mean, nanoseconds);
}

template <class Quantiles>
void read_quantiles(const Json& json, Quantiles& q) {
  read_estimate(json, "min", q.min);
  read_estimate(json, "p50", q.p50);
  read_estimate(json, "p90", q.p90);
  read_estimate(json, "p99", q.p99);
  read_estimate(json, "p99_9", q.p99_9);
  read_estimate(json, "max", q.max);
  read_estimate(json, "mean", q.mean);
}

// Two lists of numbers are read many times faster than a list of pairs.
Json histogram_json(const LogHistogram& histogram) {
  Json json = {{"precision_bits", histogram.precision_bits()},
               {"min_ps", histogram.min()},
               {"max_ps", histogram.max()},
               {"index", Json::array()},
               {"count", Json::array()}};
  for (const auto& [index, count] : histogram.sparse()) {
    json["index"].push_back(index);
    json["count"].push_back(count);
  }
  return json;
}

LogHistogram histogram_from_json(const Json& json) {
  constexpr int kMostBits = 16;
  int bits = 0;
  std::uint64_t min = 0;
  std::uint64_t max = 0;
  std::vector<std::uint32_t> index;
  std::vector<std::uint64_t> count;
  read_field(json, "precision_bits", bits);
  read_field(json, "min_ps", min);
  read_field(json, "max_ps", max);
  read_field(json, "index", index);
  read_field(json, "count", count);
  if (bits < 1 || bits > kMostBits) throw FormatError("precision_bits", "1 to 16 are needed");
  if (index.size() != count.size())
    throw FormatError("count", "as many as there are indices are needed");

  std::vector<std::pair<std::uint32_t, std::uint64_t>> buckets;
  buckets.reserve(index.size());
  for (std::size_t i = 0; i < index.size(); ++i) buckets.emplace_back(index[i], count[i]);
  try {
    return LogHistogram::from_sparse(bits, buckets, min, max);
  } catch (const std::invalid_argument& error) {
    throw FormatError("", error.what());
  }
}

Json large_sample_json(const LargeSample& sample) {
  return {{"ns", nanoseconds(sample.ns)},
          {"index", sample.index},
          {"at_ns", nanoseconds(sample.at_ns)}};
}

LargeSample large_sample_from_json(const Json& json) {
  LargeSample sample;
  read_field(json, "ns", sample.ns);
  read_field(json, "index", sample.index);
  read_field(json, "at_ns", sample.at_ns);
  return sample;
}

Json probe_json(const ProbeFigures& probe) {
  return {{"chunk", probe.chunk},
          {"pairs", probe.pairs},
          {"batch_mean_ns", nanoseconds(probe.batch_mean_ns)},
          {"effect_ns", estimate_json(probe.effect_ns, nanoseconds)}};
}

ProbeFigures probe_from_json(const Json& json) {
  ProbeFigures probe;
  read_field(json, "chunk", probe.chunk);
  read_field(json, "pairs", probe.pairs);
  read_field(json, "batch_mean_ns", probe.batch_mean_ns);
  read_member(json, "effect_ns",
              [&](const Json& member) { probe.effect_ns = estimate_from_json(member); });
  return probe;
}

Json split_json(const CallSplit& split) {
  return {{"round_trips", split.round_trips},
          {"post_send_ns", nanoseconds(split.post_send_ns)},
          {"post_recv_ns", nanoseconds(split.post_recv_ns)},
          {"poll_ns", nanoseconds(split.poll_ns)},
          {"wait_ns", nanoseconds(split.wait_ns)}};
}

CallSplit split_from_json(const Json& json) {
  CallSplit split;
  read_field(json, "round_trips", split.round_trips);
  read_field(json, "post_send_ns", split.post_send_ns);
  read_field(json, "post_recv_ns", split.post_recv_ns);
  read_field(json, "poll_ns", split.poll_ns);
  read_field(json, "wait_ns", split.wait_ns);
  return split;
}

Json split_summary_json(const SplitSummary& split) {
  return {{"post_send", estimate_json(split.post_send, nanoseconds)},
          {"post_recv", estimate_json(split.post_recv, nanoseconds)},
          {"poll", estimate_json(split.poll, nanoseconds)},
          {"wait", estimate_json(split.wait, nanoseconds)}};
}

SplitSummary split_summary_from_json(const Json& json) {
  require_object(json);
  SplitSummary split;
  read_estimate(json, "post_send", split.post_send);
  read_estimate(json, "post_recv", split.post_recv);
  read_estimate(json, "poll", split.poll);
  read_estimate(json, "wait", split.wait);
  return split;
}

void add_latency(Json& json, const std::optional<LatencyFigures>& latency) {
  json["rtt_ns"] = nullptr;
  json["rtt_histogram"] = nullptr;
  if (!latency) return;
  json["rtt_ns"] = {{"count", latency->rtt_ns.count}};
  add_quantiles(json["rtt_ns"], latency->rtt_ns);
  json["rtt_ns"]["stall_time_share"] = latency->rtt_ns.stall_time_share;
  json["rtt_ns"]["largest"] = Json::array();
  for (const LargeSample& sample : latency->largest)
    json["rtt_ns"]["largest"].push_back(large_sample_json(sample));
  json["rtt_ns"]["converged"] = latency->converged;
  json["rtt_ns"]["probe"] = latency->probe ? probe_json(*latency->probe) : Json(nullptr);
  json["rtt_ns"]["split"] = latency->split ? split_json(*latency->split) : Json(nullptr);
  json["rtt_histogram"] = histogram_json(latency->histogram);
}

void read_latency(const Json& json, std::optional<LatencyFigures>& latency) {
  read_optional(json, "rtt_ns", latency, [](const Json& quantiles) {
    LatencyFigures figures;
    read_field(quantiles, "count", figures.rtt_ns.count);
    read_quantiles(quantiles, figures.rtt_ns);
    read_field(quantiles, "stall_time_share", figures.rtt_ns.stall_time_share);
    read_list(quantiles, "largest", figures.largest, large_sample_from_json);
    read_field(quantiles, "converged", figures.converged);
    read_optional(quantiles, "probe", figures.probe, probe_from_json);
    read_optional(quantiles, "split", figures.split, split_from_json);
    return figures;
  });
  if (!latency) return;
  read_member(json, "rtt_histogram",
              [&](const Json& member) { latency->histogram = histogram_from_json(member); });
}

Json stream_json(const std::optional<StreamFigures>& stream) {
  if (!stream) return nullptr;
  return {{"interval_messages", stream->interval_messages},
          {"interval_bytes", stream->interval_bytes},
          {"interval_ns", optional_number(stream->interval_ns, nanoseconds)},
          {"delivered_bytes_per_second", optional_number(stream->delivered_bytes_per_second, rate)},
          {"messages_per_second", optional_number(stream->messages_per_second, rate)},
          {"steady", stream->steady}};
}

StreamFigures stream_from_json(const Json& json) {
  StreamFigures stream;
  read_field(json, "interval_messages", stream.interval_messages);
  read_field(json, "interval_bytes", stream.interval_bytes);
  read_field(json, "interval_ns", stream.interval_ns);
  read_field(json, "delivered_bytes_per_second", stream.delivered_bytes_per_second);
  read_field(json, "messages_per_second", stream.messages_per_second);
  read_field(json, "steady", stream.steady);
  return stream;
}

}  // namespace

Json nanoseconds(double ns) {
  return rate(std::round(ns * 1000) / 1000);
}

Json to_repeat_json(const RepeatResult& repeat) {
  Json json = {{"repeat", repeat.repeat},
               {"position", repeat.position},
               {"messages", repeat.messages},
               {"elapsed_ns", nanoseconds(repeat.elapsed_ns)},
               {"warmup_messages", repeat.warmup_messages},
               {"first_message_ns", optional_number(repeat.first_message_ns, nanoseconds)}};
  add_latency(json, repeat.latency);
  json["forward"] = stream_json(repeat.forward);
  json["backward"] = stream_json(repeat.backward);
  json["initiator"] = repeat.initiator;
  json["responder"] = repeat.responder;
  return json;
}

RepeatResult repeat_from_json(const Json& json) {
  RepeatResult repeat;
  read_field(json, "repeat", repeat.repeat);
  read_field(json, "position", repeat.position);
  read_field(json, "messages", repeat.messages);
  read_field(json, "elapsed_ns", repeat.elapsed_ns);
  read_field(json, "warmup_messages", repeat.warmup_messages);
  read_field(json, "first_message_ns", repeat.first_message_ns);
  read_latency(json, repeat.latency);
  read_optional(json, "forward", repeat.forward, stream_from_json);
  read_optional(json, "backward", repeat.backward, stream_from_json);
  read_field(json, "initiator", repeat.initiator);
  read_field(json, "responder", repeat.responder);
  return repeat;
}

Json to_summary_json(const CaseSummary& summary) {
  Json json;
  json["rtt_ns"] = nullptr;
  if (summary.rtt_ns) {
    add_quantiles(json["rtt_ns"], *summary.rtt_ns);
    json["rtt_ns"]["batch_mean"] = estimate_json(summary.rtt_ns->batch_mean, nanoseconds);
    json["rtt_ns"]["probe_effect"] = estimate_json(summary.rtt_ns->probe_effect, nanoseconds);
    const auto& split = summary.rtt_ns->split;
    json["rtt_ns"]["split"] = split ? split_summary_json(*split) : Json(nullptr);
  }
  json["delivered_bytes_per_second"] = estimate_json(summary.delivered_bytes_per_second, rate);
  json["messages_per_second"] = estimate_json(summary.messages_per_second, rate);
  json["forward_bytes_per_second"] = estimate_json(summary.forward_bytes_per_second, rate);
  json["backward_bytes_per_second"] = estimate_json(summary.backward_bytes_per_second, rate);
  return json;
}

CaseSummary summary_from_json(const Json& json) {
  require_object(json);
  CaseSummary summary;
  read_optional(json, "rtt_ns", summary.rtt_ns, [](const Json& member) {
    require_object(member);
    LatencySummary latency;
    read_quantiles(member, latency);
    read_estimate(member, "batch_mean", latency.batch_mean);
    read_estimate(member, "probe_effect", latency.probe_effect);
    read_optional(member, "split", latency.split, split_summary_from_json);
    return latency;
  });
  read_estimate(json, "delivered_bytes_per_second", summary.delivered_bytes_per_second);
  read_estimate(json, "messages_per_second", summary.messages_per_second);
  read_estimate(json, "forward_bytes_per_second", summary.forward_bytes_per_second);
  read_estimate(json, "backward_bytes_per_second", summary.backward_bytes_per_second);
  return summary;
}

}  // namespace pairbench
