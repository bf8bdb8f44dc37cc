// The messages of a session, typed. docs/protocol.md says who sends what when.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/host_facts.h"
#include "control/channel.h"
#include "plan/end_counters.h"
#include "plan/json.h"
#include "plan/json_fields.h"
#include "plan/plan.h"
#include "plan/transport_spec.h"
#include "transport/capabilities.h"

namespace pairbench {

namespace wire {

// Initiator -> responder.

struct Hello {
  static constexpr std::string_view kType = "hello";
  static constexpr Phase kPhase = Phase::hello;
  std::string tool_version;
  HostFacts host;
  std::vector<TransportSpec> transports;
  std::string token;  // the run's random token, hexadecimal
  std::optional<int> process;
};

struct PlanOffer {
  static constexpr std::string_view kType = "plan";
  static constexpr Phase kPhase = Phase::plan;
  Plan plan;  // every case names a transport of the plan
};

// The address of one endpoint; `transport` is its index in the plan.
struct TransportAddress {
  int transport = 0;
  std::vector<std::byte> address;

  bool operator==(const TransportAddress&) const = default;
};

struct Open {
  static constexpr std::string_view kType = "open";
  static constexpr Phase kPhase = Phase::open;
  int repeat = 0;
  std::vector<TransportAddress> addresses;
};

struct StartCase {
  static constexpr std::string_view kType = "start_case";
  static constexpr Phase kPhase = Phase::measure;
  int repeat = 0;
  std::uint64_t case_index = 0;  // into Plan::cases
};

struct Block {
  static constexpr std::string_view kType = "block";
  static constexpr Phase kPhase = Phase::measure;
  std::uint64_t messages = 0;  // 0: a stream that lasts until its sender announces the count
  bool warmup = false;
};

struct EndCase {
  static constexpr std::string_view kType = "end_case";
  static constexpr Phase kPhase = Phase::results;
};

struct CloseRepeat {
  static constexpr std::string_view kType = "close_repeat";
  static constexpr Phase kPhase = Phase::results;
};

struct Finish {
  static constexpr std::string_view kType = "finish";
  static constexpr Phase kPhase = Phase::results;
};

// Responder -> initiator.

struct HelloReply {
  static constexpr std::string_view kType = "hello_reply";
  static constexpr Phase kPhase = Phase::hello;
  std::string tool_version;
  HostFacts host;
  ClockScale clock;
  std::optional<int> process;
  // Parallel to Hello::transports: what the device can do, or why there is none.
  std::vector<std::variant<Capabilities, Failure>> capabilities;
};

struct PlanAccepted {
  static constexpr std::string_view kType = "plan_accepted";
  static constexpr Phase kPhase = Phase::plan;
  std::optional<Detours> detours;   // of its CPU, where the plan asks for them
  std::optional<ClockScale> clock;  // the one that it measures with, as the plan chose
};

struct Opened {
  static constexpr std::string_view kType = "opened";
  static constexpr Phase kPhase = Phase::open;
  std::vector<TransportAddress> addresses;
};

// The barrier: the responder has done what was asked last and waits on its endpoints.
struct Ready {
  static constexpr std::string_view kType = "ready";
  static constexpr Phase kPhase = Phase::measure;
};

struct BlockResult {
  static constexpr std::string_view kType = "block_result";
  static constexpr Phase kPhase = Phase::results;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  // Of the stream that the responder received, between two of its own stamps.
  std::uint64_t interval_messages = 0;
  std::uint64_t interval_bytes = 0;
  std::optional<double> interval_ns;  // null: no stream, or too few messages for an interval
  bool steady = true;                 // false: a timed stream had no part without its ends
};

struct CaseReport {
  static constexpr std::string_view kType = "case_result";
  static constexpr Phase kPhase = Phase::results;
  EndCounters counters;
};

struct Closed {
  static constexpr std::string_view kType = "closed";
  static constexpr Phase kPhase = Phase::results;
};

// Both ways. Channels send and take these themselves.

struct Sent {
  static constexpr std::string_view kType = "sent";
  static constexpr Phase kPhase = Phase::measure;
  std::uint64_t messages = 0;  // the final count of this block's stream
};

struct FailureNotice {
  static constexpr std::string_view kType = "failure";
  static constexpr Phase kPhase = Phase::results;
  Failure failure;
};

struct Heartbeat {
  static constexpr std::string_view kType = "heartbeat";
  static constexpr Phase kPhase = Phase::measure;
};

struct Bye {
  static constexpr std::string_view kType = "bye";
  static constexpr Phase kPhase = Phase::results;
};

void to_json(Json& json, const Hello& hello);
void from_json(const Json& json, Hello& hello);
void to_json(Json& json, const PlanOffer& offer);
void from_json(const Json& json, PlanOffer& offer);
void to_json(Json& json, const TransportAddress& address);
void from_json(const Json& json, TransportAddress& address);
void to_json(Json& json, const Open& open);
void from_json(const Json& json, Open& open);
void to_json(Json& json, const StartCase& start);
void from_json(const Json& json, StartCase& start);
void to_json(Json& json, const Block& block);
void from_json(const Json& json, Block& block);
void to_json(Json& json, const HelloReply& reply);
void from_json(const Json& json, HelloReply& reply);
void to_json(Json& json, const PlanAccepted& accepted);
void from_json(const Json& json, PlanAccepted& accepted);
void to_json(Json& json, const Opened& opened);
void from_json(const Json& json, Opened& opened);
void to_json(Json& json, const BlockResult& result);
void from_json(const Json& json, BlockResult& result);
void to_json(Json& json, const CaseReport& report);
void from_json(const Json& json, CaseReport& report);
void to_json(Json& json, const Sent& sent);
void from_json(const Json& json, Sent& sent);
void to_json(Json& json, const FailureNotice& notice);
void from_json(const Json& json, FailureNotice& notice);

}  // namespace wire

template <class T>
Message to_message(const T& value) {
  Message message{std::string(T::kType), Json::object()};
  if constexpr (!std::is_empty_v<T>) message.body = value;
  return message;
}

// The peer said what is not due, or not as it has to be said.
class ProtocolError : public Error {
 public:
  ProtocolError(Phase phase, std::string message, std::string cause = {});
};

// Throws ProtocolError naming the message and the member when it is another message or malformed.
template <class T>
T from_message(const Message& message) {
  if (message.type != T::kType) {
    throw ProtocolError(T::kPhase,
                        fmt::format("the peer broke the protocol: it sent '{}' where '{}' is due",
                                    shortened(message.type), T::kType));
  }
  T value;
  if constexpr (!std::is_empty_v<T>) {
    try {
      from_json(message.body, value);
    } catch (const FormatError& error) {
      throw ProtocolError(
          T::kPhase, fmt::format("the peer sent a malformed '{}' message", T::kType), error.what());
    }
  }
  return value;
}

}  // namespace pairbench
