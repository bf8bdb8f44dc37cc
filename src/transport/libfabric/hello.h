// The smallest complete use of an endpoint: print an address, receive at it; or send one message to
// one. There is no control channel: a person carries the address from one host to the other.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "transport/endpoint.h"
#include "transport/libfabric/device.h"

namespace pairbench::libfabric {

// Longest text that one message carries.
inline constexpr std::size_t kMaxHelloBytes = 4096;

// One line for the person, without its newline; the caller flushes.
using Say = std::function<void(const std::string&)>;

struct HelloLimits {
  std::optional<std::size_t> messages = {};              // stop after so many
  std::optional<std::chrono::nanoseconds> timeout = {};  // stop after so long
};

// Lower-case hex, two digits a byte.
std::string format_address(const AddressBlob& address);

// Throws a usage Error that shows the text when it is not an even number of hex digits.
AddressBlob parse_address(std::string_view hex);

// The local address from which the kernel would reach `peer`; nothing unless it is a socket
// address. For Request::local_ip, so that the sender opens the interface that leads to the
// receiver.
std::optional<std::string> local_ip_towards(const AddressBlob& peer);

// What an address looks like: "IPv4", "IPv6", "shm", "EFA", else its length.
std::string address_kind(const AddressBlob& address);

// Says the endpoint's address and the command for the other host, then every message with its
// length and text, until `stop` or a limit. Returns the number of messages. Throws what the
// endpoint throws.
std::size_t hello_receive(Device& device, const HelloLimits& limits, const Say& say,
                          const std::atomic<bool>& stop);

// Sends one message and says when its send completed. Throws a usage Error for a text that is too
// long and for an address of another kind than the device's, and Error(peer, first_message) when it
// has not completed in `patience` or before `stop`.
void hello_send(Device& device, const AddressBlob& peer, std::string_view text, const Say& say,
                const std::atomic<bool>& stop,
                std::chrono::nanoseconds patience = std::chrono::seconds(10));

}  // namespace pairbench::libfabric
