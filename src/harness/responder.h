// The responder's side of a session: it has no measuring options of its own and does what the plan
// says.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "control/channel.h"
#include "harness/device_registry.h"
#include "plan/plan.h"

namespace pairbench {

struct ResponderOptions {
  std::uint64_t max_memory = UINT64_MAX;  // a plan that needs more is refused
  std::optional<std::string> local_ip;    // this host's address of the control connection
  // Told once when a plan was accepted, and once when the session ended well.
  std::function<void(const Plan&)> accepted;
  DeviceOpener open = open_device;
};

// From the greeting to the end. Throws what ended the session early, after the peer was told:
// Error, or Interrupted.
void respond(Channel& channel, const ResponderOptions& options);

}  // namespace pairbench
