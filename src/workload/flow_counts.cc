#include "workload/flow_counts.h"

#include <fmt/format.h>

#include "base/error.h"

namespace pairbench {
namespace {

constexpr const char* kHint =
    "the transport reports completions wrongly, or lost or doubled a message: measure again with "
    "--check, and with another version of its library";

}  // namespace

std::string describe_stall(const FlowCounts& counts, bool queue_full) {
  return fmt::format(
      "the control connection works, the data path does not move: {}{} messages posted, {} "
      "signalled sends complete, {} messages arrived",
      queue_full ? "a queue stays full, " : "", counts.posted, counts.signalled_done,
      counts.received);
}

void throw_miscounted(const char* what, std::uint64_t counted, std::uint64_t due) {
  throw Error(ExitStatus::failed, Phase::measure,
              fmt::format("{} {} were reported, {} were due", counted, what, due),
              "completions were doubled, lost or made up", kHint);
}

void throw_unknown_receive(Token token) {
  throw Error(ExitStatus::failed, Phase::measure,
              fmt::format("the completion of receive {} came, which was never posted", token),
              "the transport made up a completion", kHint);
}

void throw_stray(const Completion& completion) {
  const bool send = completion.kind == CompletionKind::send;
  throw Error(ExitStatus::failed, Phase::measure,
              fmt::format("a completion of a {} came after its block had ended",
                          send ? "send" : fmt::format("receive of {} bytes", completion.byte_len)),
              "a completion or a message was doubled", kHint);
}

}  // namespace pairbench
