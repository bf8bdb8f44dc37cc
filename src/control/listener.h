// The responder's listening socket.
#pragma once

#include <cstdint>
#include <string>

#include "control/socket.h"

namespace pairbench {

// Listens on one address or name (the first of its addresses that can be bound), or, where it is
// empty, on every IPv6 and IPv4 address of this host; port 0 is any free one. Throws Error(failed,
// connect): who holds the port and what to do, or that the address is not this host's.
Fd listen_on(const std::string& address, std::uint16_t port);

}  // namespace pairbench
