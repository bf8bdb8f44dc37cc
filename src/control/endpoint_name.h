// The grammar of HOST[:PORT].
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "control/protocol.h"

namespace pairbench {

struct EndpointName {
  std::string
      host;  // a name, an IPv4 address, or an IPv6 address without brackets, scope id included
  std::uint16_t port = kDefaultPort;

  bool operator==(const EndpointName&) const = default;
};

// "nodeB", "nodeB:18700", "10.0.0.2:18700", "fe80::1%eth0", "[fe80::1%eth0]:18700". Throws a usage
// Error naming the text and the forms.
EndpointName parse_endpoint_name(std::string_view text);

// In the grammar that parse_endpoint_name reads, port included.
std::string to_string(const EndpointName& name);

}  // namespace pairbench
