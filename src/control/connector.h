// The initiator's way to its peer: resolve a name, try every address, knock.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "control/channel.h"
#include "control/endpoint_name.h"
#include "control/secret.h"
#include "control/socket.h"

namespace pairbench {

inline constexpr std::chrono::seconds kConnectTimeout{5};  // of each address

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  const sockaddr* generic() const;
  std::string text() const { return format_address(generic(), length); }
};

// The addresses of a name in the resolver's order, duplicates left out. Throws Error(peer, connect)
// with the resolver's text; the resolver's own timeouts bound the wait.
std::vector<SocketAddress> resolve(const EndpointName& name);

struct Connection {
  std::unique_ptr<Channel> channel;  // the knock is sent, the greeting not yet
  std::string address;               // the one that answered: "10.0.0.2:18600"
  std::string local_address;         // this end's: "10.0.0.1:41234"
};

// Called about every 10 ms while connecting; what it throws ends the attempt.
using WhileConnecting = std::function<void()>;

// Tries the addresses of `name` one after the other, each for at most `timeout`. Throws Error(peer,
// connect) listing each with its error.
Fd connect_to_any(const EndpointName& name, const std::vector<SocketAddress>& addresses,
                  std::chrono::nanoseconds timeout, const WhileConnecting& waiting = nullptr);

// Resolves, connects and knocks, with a secret as control/door.h says. Where nobody answers, tries
// again until `retry` has passed (0: once); an unknown name fails at once.
Connection connect_to_peer(const EndpointName& name, std::chrono::nanoseconds retry,
                           const WhileConnecting& waiting = nullptr,
                           const Secret* secret = nullptr);

}  // namespace pairbench
