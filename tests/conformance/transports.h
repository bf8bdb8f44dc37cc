// The transports that the suite runs over. To add one: a line in transports.cc.
#pragma once

#include <vector>

#include "conformance/pair.h"

namespace pairbench::conformance {

std::vector<Transport> transports();

}  // namespace pairbench::conformance
