// The initiator at the responder's door: what it sends and hears before the first frame.
#pragma once

#include <functional>

#include "control/secret.h"
#include "control/socket.h"

namespace pairbench {

// Knocks on a fresh connection. Without a secret it does not wait for an answer. With one it proves
// that it knows the secret and waits, for kHelloDeadline at most, until the other end has proved it
// too. `waiting` is called about every 10 ms meanwhile; what it throws ends the attempt. Throws
// Error(peer, hello) with the server's reason, or when the server did not prove it; the socket may
// be closed then.
void knock(Fd& socket, const Secret* secret, const std::function<void()>& waiting = nullptr);

}  // namespace pairbench
