// This host as a party to a run.
#pragma once

#include <string>

#include "base/host_facts.h"

namespace pairbench {

// "0.1.0".
std::string tool_version();

// read_host_facts(), with the versions of pairbench and of the libraries it is built on.
HostFacts describe_this_host();

}  // namespace pairbench
