#include "control/messages.h"

#include <array>

namespace pairbench {

ProtocolError::ProtocolError(Phase phase, std::string message, std::string cause)
    : Error(ExitStatus::peer, phase, std::move(message),
            cause.empty() ? "the two ends disagree about what comes next" : std::move(cause),
            "is the same pairbench at the other end? its version is in: pairbench --version") {}

}  // namespace pairbench

namespace pairbench::wire {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

std::string to_hex(const std::vector<std::byte>& bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    text += kDigits[std::to_integer<std::size_t>(byte & std::byte{0xf})];
  }
  return text;
}

std::vector<std::byte> from_hex(std::string_view text) {
  const auto digit = [](char c) {
    const std::size_t value = kDigits.find(c);
    if (value == std::string_view::npos) throw FormatError("", "hexadecimal digits are needed");
    return value;
  };
  if (text.size() % 2 != 0) throw FormatError("", "an even number of digits is needed");
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(digit(text[i]) << 4 | digit(text[i + 1])));
  return bytes;
}

void check_indices(const Plan& plan) {
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    const int transport = plan.cases[i].transport;
    if (transport < 0 || static_cast<std::size_t>(transport) >= plan.transports.size())
      throw FormatError(fmt::format("plan.cases[{}].transport", i),
                        "the plan has no such transport");
  }
}

Json encode(const std::variant<Capabilities, Failure>& answer) {
  if (const auto* failure = std::get_if<Failure>(&answer)) return {{"failure", *failure}};
  return {{"capabilities", std::get<Capabilities>(answer)}};
}

// It is shown, whoever wrote it.
void read_failure(const Json& json, Failure& failure) {
  read_field(json, "failure", failure);
  failure = shortened(std::move(failure));
}

// One transport's answer as it stands in the array.
struct Answer {
  std::variant<Capabilities, Failure> value;
};

void from_json(const Json& json, Answer& answer) {
  if (json.is_object() && json.contains("failure"))
    read_failure(json, answer.value.emplace<Failure>());
  else
    read_field(json, "capabilities", answer.value.emplace<Capabilities>());
}

}  // namespace

void to_json(Json& json, const Hello& hello) {
  json = {{"tool_version", hello.tool_version},
          {"host", hello.host},
          {"transports", hello.transports},
          {"token", hello.token},
          {"process", hello.process}};
}

void from_json(const Json& json, Hello& hello) {
  read_field(json, "tool_version", hello.tool_version);
  read_field(json, "host", hello.host);
  read_field(json, "transports", hello.transports);
  read_field(json, "token", hello.token);
  read_field(json, "process", hello.process);
}

void to_json(Json& json, const PlanOffer& offer) {
  json = {{"plan", offer.plan}};
}

void from_json(const Json& json, PlanOffer& offer) {
  read_field(json, "plan", offer.plan);
  check_indices(offer.plan);
}

void to_json(Json& json, const TransportAddress& address) {
  json = Json::array({address.transport, to_hex(address.address)});
}

void from_json(const Json& json, TransportAddress& address) {
  if (!json.is_array() || json.size() != 2)
    throw FormatError("", "a pair of transport and address is needed");
  std::string text;
  decode(json[0], address.transport);
  decode(json[1], text);
  address.address = from_hex(text);
}

void to_json(Json& json, const Open& open) {
  json = {{"repeat", open.repeat}, {"addresses", open.addresses}};
}

void from_json(const Json& json, Open& open) {
  read_field(json, "repeat", open.repeat);
  read_field(json, "addresses", open.addresses);
}

void to_json(Json& json, const StartCase& start) {
  json = {{"repeat", start.repeat}, {"case", start.case_index}};
}

void from_json(const Json& json, StartCase& start) {
  read_field(json, "repeat", start.repeat);
  read_field(json, "case", start.case_index);
}

void to_json(Json& json, const Block& block) {
  json = {{"messages", block.messages}, {"warmup", block.warmup}};
}

void from_json(const Json& json, Block& block) {
  read_field(json, "messages", block.messages);
  read_field(json, "warmup", block.warmup);
}

void to_json(Json& json, const HelloReply& reply) {
  Json answers = Json::array();
  for (const auto& answer : reply.capabilities) answers.push_back(encode(answer));
  json = {{"tool_version", reply.tool_version},
          {"host", reply.host},
          {"clock", reply.clock},
          {"process", reply.process},
          {"capabilities", std::move(answers)}};
}

void from_json(const Json& json, HelloReply& reply) {
  read_field(json, "tool_version", reply.tool_version);
  read_field(json, "host", reply.host);
  read_field(json, "clock", reply.clock);
  read_field(json, "process", reply.process);
  std::vector<Answer> answers;
  read_field(json, "capabilities", answers);
  for (Answer& answer : answers) reply.capabilities.push_back(std::move(answer.value));
}

void to_json(Json& json, const PlanAccepted& accepted) {
  json = {{"detours", accepted.detours}, {"clock", accepted.clock}};
}

void from_json(const Json& json, PlanAccepted& accepted) {
  read_field(json, "detours", accepted.detours);
  read_field(json, "clock", accepted.clock);
}

void to_json(Json& json, const Opened& opened) {
  json = {{"addresses", opened.addresses}};
}

void from_json(const Json& json, Opened& opened) {
  read_field(json, "addresses", opened.addresses);
}

void to_json(Json& json, const BlockResult& result) {
  json = {{"messages_sent", result.messages_sent},
          {"messages_received", result.messages_received},
          {"bytes_sent", result.bytes_sent},
          {"bytes_received", result.bytes_received},
          {"interval_messages", result.interval_messages},
          {"interval_bytes", result.interval_bytes},
          {"interval_ns", result.interval_ns},
          {"steady", result.steady}};
}

void from_json(const Json& json, BlockResult& result) {
  read_field(json, "messages_sent", result.messages_sent);
  read_field(json, "messages_received", result.messages_received);
  read_field(json, "bytes_sent", result.bytes_sent);
  read_field(json, "bytes_received", result.bytes_received);
  read_field(json, "interval_messages", result.interval_messages);
  read_field(json, "interval_bytes", result.interval_bytes);
  read_field(json, "interval_ns", result.interval_ns);
  read_field(json, "steady", result.steady);
}

void to_json(Json& json, const CaseReport& report) {
  json = {{"counters", report.counters}};
}

void from_json(const Json& json, CaseReport& report) {
  read_field(json, "counters", report.counters);
}

void to_json(Json& json, const Sent& sent) {
  json = {{"messages", sent.messages}};
}

void from_json(const Json& json, Sent& sent) {
  read_field(json, "messages", sent.messages);
}

void to_json(Json& json, const FailureNotice& notice) {
  json = {{"failure", notice.failure}};
}

void from_json(const Json& json, FailureNotice& notice) {
  read_failure(json, notice.failure);
}

}  // namespace pairbench::wire
