#include "harness/stall.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "base/deadline.h"

namespace pairbench {
namespace {

// Longer than a probe and the reports of both ends take.
constexpr std::chrono::milliseconds kPeersAccount{1500};

}  // namespace

void explain(const Stalled& stalled, const std::optional<Failure>& answer, const Link& link) {
  Failure failure = stalled.failure();
  if (answer) {
    failure.cause =
        failure.cause.empty() ? answer->cause : fmt::format("{}; {}", answer->cause, failure.cause);
    failure.hint = answer->hint;
    throw Error(std::move(failure));
  }
  const Deadline deadline = Deadline::after(kPeersAccount);
  while (!link.interrupted.load() && !deadline.passed())
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  if (link.interrupted.load()) throw LinkInterrupted(failure.phase);
}

}  // namespace pairbench
