// One frame's text, taken as whatever message it says it is: a complaint is an Error(peer) or a
// FormatError, and what was taken is written and read again as the same.
#include "control/framing.h"
#include "control/messages.h"
#include "fuzz/fuzz.h"
#include "plan/costs.h"

namespace pairbench {
namespace {

// Writing may round nothing and lose nothing, hence the second text is the first one.
template <class T>
void take_as(const Message& message) {
  if (message.type != T::kType) return;
  const Message once = to_message(from_message<T>(message));
  const Message twice = to_message(from_message<T>(once));
  promise(encode_frame(once) == encode_frame(twice), "a message is read as it was written");
}

void weigh(const Message& message) {
  if (message.type != wire::PlanOffer::kType) return;
  const Plan plan = from_message<wire::PlanOffer>(message).plan;
  promise(memory_needed(plan) == memory_needed(plan), "a plan's need of memory can be told");
}

template <class... T>
void take_as_any(const Message& message) {
  (take_as<T>(message), ...);
}

void take(std::string_view text) try {
  const Message message = decode_message(text);
  take_as_any<wire::Hello, wire::PlanOffer, wire::Open, wire::StartCase, wire::Block, wire::EndCase,
              wire::CloseRepeat, wire::Finish, wire::HelloReply, wire::PlanAccepted, wire::Opened,
              wire::Ready, wire::BlockResult, wire::CaseReport, wire::Closed, wire::Sent,
              wire::FailureNotice, wire::Heartbeat, wire::Bye>(message);
  weigh(message);
} catch (const FormatError&) {
} catch (const Error& error) {
  promise(error.failure().status == ExitStatus::peer, "a malformed message is the peer's fault");
  promise(!describe(error.failure()).empty(), "a failure can be shown");
}

}  // namespace
}  // namespace pairbench

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pairbench::take(pairbench::as_text(data, size));
  return 0;
}
