#include "control/refusals.h"

#include <fmt/format.h>

#include <string>
#include <system_error>
#include <utility>

#include "base/resource_limits.h"
#include "control/protocol.h"

namespace pairbench {
namespace {

Failure refusal(std::string message, std::string cause, std::string hint) {
  return {ExitStatus::peer, Phase::hello,   std::move(message), {},
          std::move(cause), std::move(hint)};
}

}  // namespace

Failure version_mismatch(std::uint16_t theirs) {
  return refusal(fmt::format("the two ends speak different protocols: initiator {}, responder {}",
                             theirs, kProtocolVersion),
                 {}, "install the same version of pairbench on both hosts");
}

Failure no_room(int error) {
  return refusal("the server cannot take another connection",
                 std::generic_category().message(error), limit_hint(error));
}

Failure secret_needed() {
  return refusal("this server needs a secret", "none was offered",
                 "--secret-file FILE, with what its own --secret-file has");
}

Failure no_secret_here() {
  return refusal("this server has no secret, and cannot prove that it knows one", {},
                 "start it with --secret-file FILE, or run without");
}

Failure another_secret() {
  return refusal("this server's secret is another one", "the proof does not fit",
                 "give both ends the same file: --secret-file FILE");
}

}  // namespace pairbench
