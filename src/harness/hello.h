// The first check that a fabric works at all: one message with no control channel.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "plan/transport_spec.h"

namespace pairbench {

struct HelloRequest {
  TransportSpec transport;
  std::string peer_address;             // hex; empty: receive
  std::string text;                     // to send
  std::optional<std::size_t> messages;  // receive: stop after so many
};

// Says what happens line by line. Ends after the message was sent, after so many were received, or
// on `stop`. Throws Error.
void hello(const HelloRequest& request, const std::function<void(const std::string&)>& say,
           const std::atomic<bool>& stop);

}  // namespace pairbench
