// What the door says to those whom it does not let in: what is wrong, and what to do.
#pragma once

#include <cstdint>

#include "base/error.h"

namespace pairbench {

// `theirs`: the protocol version of the initiator.
Failure version_mismatch(std::uint16_t theirs);
// There is no descriptor for its connection; `error`, an errno, says of which limit.
Failure no_room(int error);
// The initiator offers no secret, but this server wants one.
Failure secret_needed();
// The initiator wants a proof that this server cannot give.
Failure no_secret_here();
// The initiator's proof does not fit.
Failure another_secret();

}  // namespace pairbench
