// Which port and which GID are meant. Pure: plain data in, a choice out.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "transport/verbs/port.h"

namespace pairbench::verbs {

// What is asked for.
struct Request {
  std::string device = {};  // empty: choose
  std::optional<int> port = {};
  std::optional<int> gid_index = {};
  // This host's address of the control connection; the data should take the same road.
  std::optional<std::string> local_ip = {};
};

// The port, and on Ethernet (or where a GID was asked for) the GID that goes with it.
struct Choice {
  PortFacts port;
  std::optional<Gid> gid;
};

// Of what was asked for: the port with the control connection's address among its GIDs, then
// active ones, the lowest device name, the lowest port. The GID: that address; else of the same
// family, RoCE v2 before v1, routable before link-local, the lowest index. Throws
// Error(no_device, device) that says what was asked, why it cannot be had, and what there is.
Choice select(std::span<const PortFacts> ports, const Request& request);

// Why a port cannot be used for RC; nullopt where it can.
std::optional<std::string> why_unusable(const PortFacts& port);

}  // namespace pairbench::verbs
