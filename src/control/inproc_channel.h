// Two channels whose ends live in one process, one thread each.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "control/channel.h"

namespace pairbench {

// The two ends; each is told how the other is called. Destroying one end is its orderly end: the
// other loses its peer at once. There is no silence between threads, so the peer timeout has no
// effect.
std::pair<std::unique_ptr<Channel>, std::unique_ptr<Channel>> make_inproc_channels(
    std::string first_name, std::string second_name);

}  // namespace pairbench
