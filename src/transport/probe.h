// A question to a peer that seems to take no messages.
#pragma once

#include <optional>

#include "base/error.h"

namespace pairbench {

// What became of one message to it. Neither: no answer in time, or it could not be asked.
struct Probe {
  bool arrived = false;
  std::optional<Failure> failure;  // the device's answer, decoded
};

}  // namespace pairbench
