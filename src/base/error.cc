#include "base/error.h"

#include <fmt/format.h>

#include <utility>

#include "base/printable.h"

namespace pairbench {
namespace {

// The text came from a peer or a library perhaps.
std::string aligned(std::string_view text, std::size_t column) {
  return printable(text, "\n" + std::string(column, ' '));
}

void append_field(std::string& out, std::string_view name, std::string_view text) {
  constexpr std::size_t kTextColumn = 10;
  if (text.empty()) return;
  out += fmt::format("  {:<{}}{}\n", fmt::format("{}:", name), kTextColumn - 2,
                     aligned(text, kTextColumn));
}

// Where it happened, unless that is plain from the message.
std::string phase_suffix(const Failure& failure) {
  if (failure.phase == Phase::usage || failure.phase == Phase::device) return {};
  const std::string opened = fmt::format("({}", to_string(failure.phase));
  return failure.message.find(opened) == std::string::npos ? " " + opened + ")" : std::string{};
}

}  // namespace

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::usage:
      return "usage";
    case Phase::device:
      return "device";
    case Phase::connect:
      return "connect";
    case Phase::hello:
      return "hello";
    case Phase::plan:
      return "plan";
    case Phase::open:
      return "open";
    case Phase::first_message:
      return "first message";
    case Phase::warmup:
      return "warm-up";
    case Phase::measure:
      return "measure";
    case Phase::results:
      return "results";
    case Phase::read:
      return "read";
    case Phase::save:
      return "save";
  }
  return "unknown";
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  std::size_t end = most;
  while (end > 0 && continues(end)) --end;
  return fmt::format("{}... ({} bytes)", text.substr(0, end), text.size());
}

Failure shortened(Failure failure) {
  constexpr std::size_t kLongestField = 4096;
  for (std::string* field : {&failure.message, &failure.host, &failure.cause, &failure.hint})
    *field = shortened(*field, kLongestField);
  return failure;
}

Error::Error(Failure failure) : failure_(std::move(failure)) {}

Error::Error(ExitStatus status, Phase phase, std::string message, std::string cause,
             std::string hint)
    : failure_{status, phase, std::move(message), {}, std::move(cause), std::move(hint)} {}

void throw_usage(std::string message, std::string hint) {
  throw Error(ExitStatus::usage, Phase::usage, std::move(message), {}, std::move(hint));
}

std::string describe(const Failure& failure) {
  constexpr std::size_t kMessageColumn = 7;
  std::string out = "error: ";
  if (!failure.host.empty()) out += aligned(failure.host, kMessageColumn) + ": ";
  out += aligned(failure.message, kMessageColumn) + phase_suffix(failure) + '\n';
  append_field(out, "cause", failure.cause);
  append_field(out, "try", failure.hint);
  return out;
}

}  // namespace pairbench
