#include "harness/stall.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <utility>

#include "base/deadline.h"

namespace pairbench {
namespace {

// Longer than a probe and the reports of both ends take.
constexpr std::chrono::milliseconds kPeersAccount{2500};

void await_the_peers_account(const Link& link, Phase phase) {
  const Deadline deadline = Deadline::after(kPeersAccount);
  while (!link.interrupted.load() && !deadline.passed())
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  if (link.interrupted.load()) throw LinkInterrupted(phase);
}

[[noreturn]] void throw_explained(const Stalled& stalled, const std::string& cause,
                                  std::string hint) {
  Failure failure = stalled.failure();
  failure.cause = fmt::format("{}; {}", cause, failure.cause);
  failure.hint = std::move(hint);
  throw Error(std::move(failure));
}

}  // namespace

void explain(const Stalled& stalled, const Probe& probe, const Link& link) {
  if (probe.failure)
    throw_explained(stalled,
                    fmt::format("a message to {} met {}", link.peer_name, probe.failure->cause),
                    probe.failure->hint);
  await_the_peers_account(link, stalled.failure().phase);
  if (probe.arrived)
    throw_explained(stalled, fmt::format("a message to {} arrived at its device", link.peer_name),
                    "look at the process there: it does not take what comes, or what it sends is "
                    "lost on its way here");
}

}  // namespace pairbench
