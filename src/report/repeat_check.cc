#include "report/repeat_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace pairbench {
namespace {

using Figure = std::optional<Estimate>;

// Some 292 years.
constexpr double kLongestNs = 9223372036854775808.0;

void check_number(const char* member, double value, double least, double most) {
  if (value < least || value > most)
    throw FormatError(member, fmt::format("{} is not within {} to {}", value, least, most));
}

void check_time(const char* member, double ns) {
  check_number(member, ns, 0, kLongestNs);
}

void check_time(const char* member, const std::optional<double>& ns) {
  if (ns) check_time(member, *ns);
}

// Of a change `least` is below zero.
void check_figure(const char* member, const Figure& figure, double least = 0) {
  if (!figure) return;
  within_member(member, [&] {
    check_number("value", figure->value, least, kLongestNs);
    if (figure->low) check_number("low", *figure->low, least, kLongestNs);
    if (figure->high) check_number("high", *figure->high, least, kLongestNs);
  });
  check_interval(member, *figure);
}

void check_quantiles(const QuantileSet& rtt) {
  const struct {
    const char* member;
    const Figure& figure;
  } ascending[] = {{"min", rtt.min}, {"p50", rtt.p50},     {"p90", rtt.p90},
                   {"p99", rtt.p99}, {"p99_9", rtt.p99_9}, {"max", rtt.max}};
  const char* lower = nullptr;
  double least = 0;
  for (const auto& [member, figure] : ascending) {
    check_figure(member, figure);
    if (!figure) continue;
    if (lower != nullptr && figure->value < least)
      throw FormatError(member, fmt::format("{} is below {} of {}", figure->value, least, lower));
    lower = member;
    least = figure->value;
  }
  check_figure("mean", rtt.mean);
  if (rtt.mean && rtt.min && rtt.max)
    check_number("mean", rtt.mean->value, rtt.min->value, rtt.max->value);
}

void check_probe(const ProbeFigures& probe) {
  if (probe.chunk == 0) throw FormatError("chunk", "0 is no number of round trips");
  if (probe.pairs == 0) throw FormatError("pairs", "0 is no number of pairs");
  check_time("batch_mean_ns", probe.batch_mean_ns);
  check_figure("effect_ns", probe.effect_ns, -kLongestNs);
}

void check_split(const CallSplit& split) {
  if (split.round_trips == 0) throw FormatError("round_trips", "0 is no number of round trips");
  check_time("post_send_ns", split.post_send_ns);
  check_time("post_recv_ns", split.post_recv_ns);
  check_time("poll_ns", split.poll_ns);
  check_time("wait_ns", split.wait_ns);
}

void check_largest(const LargeSample& sample, const QuantileSet& rtt) {
  check_number("ns", sample.ns, 0, rtt.max ? rtt.max->value : kLongestNs);
  check_time("at_ns", sample.at_ns);
  if (sample.index >= rtt.count)
    throw FormatError("index", fmt::format("{} of {} samples", sample.index, rtt.count));
}

void check_latency(const LatencyFigures& latency) {
  const QuantileSet& rtt = latency.rtt_ns;
  check_quantiles(rtt);
  if (rtt.stall_time_share) check_number("stall_time_share", *rtt.stall_time_share, 0, 1);
  within_member("largest", [&] {
    for (std::size_t i = 0; i < latency.largest.size(); ++i)
      within_element(i, [&] { check_largest(latency.largest[i], rtt); });
  });
  if (latency.probe) within_member("probe", [&] { check_probe(*latency.probe); });
  if (latency.split) within_member("split", [&] { check_split(*latency.split); });
}

void check_equal(const char* member, std::uint64_t count, std::uint64_t other, const char* what) {
  if (count != other) throw FormatError(member, fmt::format("{}, but {} {}", count, other, what));
}

// So many bytes of so many messages of one size.
void check_bytes(const char* member, std::uint64_t bytes, std::uint64_t messages,
                 std::uint64_t size) {
  std::uint64_t all = 0;
  if (__builtin_mul_overflow(messages, size, &all) || bytes != all)
    throw FormatError(member, fmt::format("{} are not {} messages of {}", bytes, messages, size));
}

// Held against the interval as documents round it.
void check_rate(const char* member, const std::optional<double>& rate, std::uint64_t amount,
                const std::optional<double>& interval_ns) {
  constexpr double kNsPerSecond = 1e9;
  constexpr double kDecimals = 1000;
  constexpr double kArithmetic = 1e-9;
  if (!rate) return;
  if (!interval_ns) throw FormatError(member, "there is no interval for it");
  check_number(member, *rate, 0, std::numeric_limits<double>::max());
  const double ns = std::round(*interval_ns * kDecimals) / kDecimals;
  const auto expected = static_cast<double>(amount);
  const double slack = *rate / kDecimals / kNsPerSecond + expected * kArithmetic;
  if (std::abs(*rate / kNsPerSecond * ns - expected) > slack)
    throw FormatError(member, fmt::format("{} is not {} in {} ns", *rate, amount, ns));
}

// `received`: by the end that this direction leads to.
void check_stream(const StreamFigures& stream, const Case& plan, std::uint64_t received) {
  check_time("interval_ns", stream.interval_ns);
  if (stream.interval_messages > received)
    throw FormatError("interval_messages", fmt::format("{} of {} that were received",
                                                       stream.interval_messages, received));
  check_bytes("interval_bytes", stream.interval_bytes, stream.interval_messages, plan.size_bytes);
  check_rate("delivered_bytes_per_second", stream.delivered_bytes_per_second, stream.interval_bytes,
             stream.interval_ns);
  check_rate("messages_per_second", stream.messages_per_second, stream.interval_messages,
             stream.interval_ns);
}

// What either end sent has arrived at the other: no repeat is kept of which that is not true.
void check_ends(const RepeatResult& repeat, std::uint64_t size) {
  const EndCounters& a = repeat.initiator;
  const EndCounters& b = repeat.responder;
  constexpr const char* kSent = "were sent by the initiator";
  constexpr const char* kReceived = "were received by the initiator";
  within_member("responder", [&] {
    check_equal("messages_received", b.messages_received, a.messages_sent, kSent);
    check_equal("bytes_received", b.bytes_received, a.bytes_sent, kSent);
    check_equal("messages_sent", b.messages_sent, a.messages_received, kReceived);
    check_equal("bytes_sent", b.bytes_sent, a.bytes_received, kReceived);
  });
  within_member("initiator", [&] {
    check_bytes("bytes_sent", a.bytes_sent, a.messages_sent, size);
    check_bytes("bytes_received", a.bytes_received, a.messages_received, size);
  });
}

void check_messages(const RepeatResult& repeat) {
  const EndCounters& counted = repeat.initiator;
  const std::uint64_t passed =
      counted.messages_sent + (repeat.latency ? 0 : counted.messages_received);
  if (repeat.messages > passed)
    throw FormatError("messages", fmt::format("{} of {} that were sent", repeat.messages, passed));
}

void check_presence(const char* member, bool there, bool belongs, Test test) {
  if (there != belongs)
    throw FormatError(member, fmt::format("a {} {}", to_string(test),
                                          belongs ? "needs it" : "has no such figures"));
}

}  // namespace

void check_interval(const char* member, const Estimate& figure) {
  if (figure.low && figure.high && *figure.low > *figure.high)
    throw FormatError(member,
                      fmt::format("its low, {}, is above its high, {}", *figure.low, *figure.high));
  if ((figure.low && figure.value < *figure.low) || (figure.high && figure.value > *figure.high))
    throw FormatError(
        member, fmt::format("its value, {}, is not between its low and its high", figure.value));
}

void check_repeat(const Case& plan, const RepeatResult& repeat) {
  const bool pingpong = plan.test == Test::pingpong;
  check_presence("rtt_ns", repeat.latency.has_value(), pingpong, plan.test);
  check_presence("forward", repeat.forward.has_value(), !pingpong, plan.test);
  check_presence("backward", repeat.backward.has_value(), plan.test == Test::bistream, plan.test);
  check_time("elapsed_ns", repeat.elapsed_ns);
  check_time("first_message_ns", repeat.first_message_ns);
  check_ends(repeat, plan.size_bytes);
  check_messages(repeat);
  if (repeat.latency) {
    within_member("rtt_ns", [&] { check_latency(*repeat.latency); });
    check_equal("messages", repeat.messages, repeat.latency->rtt_ns.count, "were timed");
    check_equal("rtt_histogram.count", repeat.latency->histogram.count(), repeat.messages,
                "were timed");
  }
  if (repeat.forward)
    within_member("forward",
                  [&] { check_stream(*repeat.forward, plan, repeat.responder.messages_received); });
  if (repeat.backward)
    within_member("backward", [&] {
      check_stream(*repeat.backward, plan, repeat.initiator.messages_received);
    });
}

}  // namespace pairbench
