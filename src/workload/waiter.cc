#include "workload/waiter.h"

#include <fmt/format.h>

#include <utility>

#include "base/units.h"

namespace pairbench {

void Waiter::restart() {
  moved_ = std::chrono::steady_clock::now();
}

bool Waiter::stalled(std::uint64_t completions) {
  require_time();
  const auto now = std::chrono::steady_clock::now();
  if (completions == seen_) return now - moved_ > link_.peer_timeout;
  seen_ = completions;
  moved_ = now;
  return false;
}

void Waiter::require_time() const {
  if (interrupted()) throw LinkInterrupted(phase_);
  if (!link_.limit.end.passed()) return;
  Failure failure;
  failure.status = ExitStatus::peer;
  failure.phase = phase_;
  failure.message = fmt::format("a block has not ended in {}, the longest it may take",
                                format_duration(link_.limit.longest));
  failure.host = link_.peer_name;
  failure.cause = "data moves, but the peer sends for ever, or never says how much it has sent";
  failure.hint =
      "is the same pairbench at the other end? on a very slow link ask for fewer or smaller "
      "messages";
  throw Error(std::move(failure));
}

void Waiter::give_up(std::string cause) const {
  Failure failure;
  failure.status = ExitStatus::peer;
  failure.phase = phase_;
  failure.message = fmt::format("no data arrived and no send completed in {}",
                                format_duration(link_.peer_timeout));
  failure.host = link_.peer_name;
  failure.cause = std::move(cause);
  throw Stalled(std::move(failure));
}

}  // namespace pairbench
