#include "plan/json.h"

#include <chrono>
#include <cstdint>
#include <string>

#include "plan/json_fields.h"

namespace pairbench {
namespace {

using Json = nlohmann::ordered_json;

std::optional<std::int64_t> count_of(std::optional<std::chrono::nanoseconds> duration) {
  if (!duration) return std::nullopt;
  return duration->count();
}

template <class E>
Json name_of(E value) {
  return std::string(to_string(value));
}

}  // namespace

void to_json(Json& json, Phase phase) {
  json = name_of(phase);
}
void from_json(const Json& json, Phase& phase) {
  decode_name(json, phase,
              {Phase::usage, Phase::device, Phase::connect, Phase::hello, Phase::plan, Phase::open,
               Phase::first_message, Phase::warmup, Phase::measure, Phase::results, Phase::read,
               Phase::save});
}

void to_json(Json& json, ClockSource source) {
  json = name_of(source);
}
void from_json(const Json& json, ClockSource& source) {
  decode_name(json, source, {ClockSource::tsc, ClockSource::raw});
}

void to_json(Json& json, ClockChoice choice) {
  json = name_of(choice);
}
void from_json(const Json& json, ClockChoice& choice) {
  decode_name(json, choice, {ClockChoice::automatic, ClockChoice::tsc, ClockChoice::raw});
}

void to_json(Json& json, SendCompletion completion) {
  json = name_of(completion);
}
void from_json(const Json& json, SendCompletion& completion) {
  decode_name(json, completion,
              {SendCompletion::reusable, SendCompletion::transmit, SendCompletion::delivery});
}

void to_json(Json& json, TransportKind kind) {
  json = name_of(kind);
}
void from_json(const Json& json, TransportKind& kind) {
  decode_name(json, kind, {TransportKind::inproc, TransportKind::libfabric, TransportKind::verbs});
}

void to_json(Json& json, Test test) {
  json = name_of(test);
}
void from_json(const Json& json, Test& test) {
  decode_name(json, test, {Test::pingpong, Test::stream, Test::bistream});
}

void to_json(Json& json, CompletionMode mode) {
  json = name_of(mode);
}
void from_json(const Json& json, CompletionMode& mode) {
  decode_name(json, mode, {CompletionMode::poll, CompletionMode::yield, CompletionMode::event});
}

void to_json(Json& json, Preset preset) {
  json = name_of(preset);
}
void from_json(const Json& json, Preset& preset) {
  decode_name(json, preset, {Preset::smoke, Preset::quick, Preset::full});
}

void to_json(Json& json, const TransportSpec& spec) {
  json = {{"kind", spec.kind},     {"label", spec.label},
          {"text", spec.text},     {"provider", spec.provider},
          {"device", spec.device}, {"peer_device", spec.peer_device},
          {"port", spec.port},     {"gid_index", spec.gid_index}};
}

void from_json(const Json& json, TransportSpec& spec) {
  read_field(json, "kind", spec.kind);
  read_field(json, "label", spec.label);
  read_field(json, "text", spec.text);
  read_field(json, "provider", spec.provider);
  read_field(json, "device", spec.device);
  read_field(json, "peer_device", spec.peer_device);
  read_field(json, "port", spec.port);
  read_field(json, "gid_index", spec.gid_index);
}

void to_json(Json& json, const InlineChoice& choice) {
  if (choice.automatic) {
    json = "auto";
  } else {
    json = choice.limit;
  }
}

void from_json(const Json& json, InlineChoice& choice) {
  choice = {};
  if (json == "auto") return;
  choice.automatic = false;
  decode(json, choice.limit);
}

void to_json(Json& json, const Config& config) {
  json = {{"transports", config.transports},
          {"preset", config.preset},
          {"tests", config.tests},
          {"sizes", config.sizes},
          {"iterations", config.iterations},
          {"duration_ns", count_of(config.duration)},
          {"warmup_iterations", config.warmup_iterations},
          {"repeats", config.repeats},
          {"window", config.window},
          {"rx_depth", config.rx_depth},
          {"refill_at", config.refill_at},
          {"signal_every", config.signal_every},
          {"inline", config.inline_choice},
          {"completion", config.completion},
          {"path", config.path},
          {"check", config.check},
          {"initiator_cpu", config.initiator_cpu},
          {"responder_cpu", config.responder_cpu},
          {"clock", config.clock},
          {"peer_timeout_ns", config.peer_timeout.count()},
          {"connect_retry_ns", config.connect_retry.count()},
          {"seed", config.seed}};
}

void from_json(const Json& json, Config& config) {
  read_field(json, "transports", config.transports);
  read_field(json, "preset", config.preset);
  read_field(json, "tests", config.tests);
  read_field(json, "sizes", config.sizes);
  read_field(json, "iterations", config.iterations);
  read_field(json, "duration_ns", config.duration);
  read_field(json, "warmup_iterations", config.warmup_iterations);
  read_field(json, "repeats", config.repeats);
  read_field(json, "window", config.window);
  read_field(json, "rx_depth", config.rx_depth);
  read_field(json, "refill_at", config.refill_at);
  read_field(json, "signal_every", config.signal_every);
  read_field(json, "inline", config.inline_choice);
  read_field(json, "completion", config.completion);
  read_field(json, "path", config.path);
  read_field(json, "check", config.check);
  read_field(json, "initiator_cpu", config.initiator_cpu);
  read_field(json, "responder_cpu", config.responder_cpu);
  read_field(json, "clock", config.clock);
  read_field(json, "peer_timeout_ns", config.peer_timeout);
  read_field(json, "connect_retry_ns", config.connect_retry);
  read_field(json, "seed", config.seed);
}

void to_json(Json& json, const Adjustment& adjustment) {
  json = {{"option", adjustment.option},
          {"asked", adjustment.asked},
          {"effective", adjustment.effective},
          {"reason", adjustment.reason}};
}

void from_json(const Json& json, Adjustment& adjustment) {
  read_field(json, "option", adjustment.option);
  read_field(json, "asked", adjustment.asked);
  read_field(json, "effective", adjustment.effective);
  read_field(json, "reason", adjustment.reason);
}

void to_json(Json& json, const Case& plan) {
  json = {{"transport", plan.transport},
          {"test", plan.test},
          {"size_bytes", plan.size_bytes},
          {"window", plan.window},
          {"signal_interval", plan.signal_interval},
          {"iterations", plan.iterations},
          {"duration_ns", plan.duration.count()},
          {"warmup_iterations", plan.warmup_iterations},
          {"warmup_ns", plan.warmup.count()},
          {"rewarm_ns", plan.rewarm.count()},
          {"check", plan.check},
          {"skipped", plan.skipped}};
}

void from_json(const Json& json, Case& plan) {
  read_field(json, "transport", plan.transport);
  read_field(json, "test", plan.test);
  read_field(json, "size_bytes", plan.size_bytes);
  read_field(json, "window", plan.window);
  read_field(json, "signal_interval", plan.signal_interval);
  read_field(json, "iterations", plan.iterations);
  read_field(json, "duration_ns", plan.duration);
  read_field(json, "warmup_iterations", plan.warmup_iterations);
  read_field(json, "warmup_ns", plan.warmup);
  read_field(json, "rewarm_ns", plan.rewarm);
  read_field(json, "check", plan.check);
  read_field(json, "skipped", plan.skipped);
}

void to_json(Json& json, const TransportPlan& plan) {
  json = {{"spec", plan.spec},
          {"max_message_size", plan.max_message_size},
          {"tx_depth", plan.tx_depth},
          {"rx_depth", plan.rx_depth},
          {"refill_at", plan.refill_at},
          {"recv_slots", plan.recv_slots},
          {"send_slots", plan.send_slots},
          {"inline_limit", plan.inline_limit},
          {"path", plan.path},
          {"adjustments", plan.adjustments}};
}

void from_json(const Json& json, TransportPlan& plan) {
  read_field(json, "spec", plan.spec);
  read_field(json, "max_message_size", plan.max_message_size);
  read_field(json, "tx_depth", plan.tx_depth);
  read_field(json, "rx_depth", plan.rx_depth);
  read_field(json, "refill_at", plan.refill_at);
  read_field(json, "recv_slots", plan.recv_slots);
  read_field(json, "send_slots", plan.send_slots);
  read_field(json, "inline_limit", plan.inline_limit);
  read_field(json, "path", plan.path);
  read_field(json, "adjustments", plan.adjustments);
}

void to_json(Json& json, const Plan& plan) {
  json = {{"transports", plan.transports},
          {"cases", plan.cases},
          {"repeats", plan.repeats},
          {"seed", plan.seed},
          {"completion", plan.completion},
          {"clock", plan.clock},
          {"peer_timeout_ns", plan.peer_timeout.count()},
          {"initiator_cpu", plan.initiator_cpu},
          {"responder_cpu", plan.responder_cpu},
          {"detour_spin_ns", plan.detour_spin.count()},
          {"adjustments", plan.adjustments},
          {"memory_bytes", plan.memory_bytes},
          {"estimated_time_ns", plan.estimated_time.count()}};
}

void from_json(const Json& json, Plan& plan) {
  read_field(json, "transports", plan.transports);
  read_field(json, "cases", plan.cases);
  read_field(json, "repeats", plan.repeats);
  read_field(json, "seed", plan.seed);
  read_field(json, "completion", plan.completion);
  read_field(json, "clock", plan.clock);
  read_field(json, "peer_timeout_ns", plan.peer_timeout);
  read_field(json, "initiator_cpu", plan.initiator_cpu);
  read_field(json, "responder_cpu", plan.responder_cpu);
  read_field(json, "detour_spin_ns", plan.detour_spin);
  read_field(json, "adjustments", plan.adjustments);
  read_field(json, "memory_bytes", plan.memory_bytes);
  read_field(json, "estimated_time_ns", plan.estimated_time);
}

}  // namespace pairbench
