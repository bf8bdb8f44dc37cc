// Documents made by hand, for the tests of this room.
#pragma once

#include <string>

#include "report/document.h"

namespace pairbench::samples {

// A case with one repeat for each median; a ping-pong's quantiles follow from it, p99.9 stays null.
CaseResult pingpong(int transport, std::uint64_t size, const std::vector<double>& medians_ns);
// A case with one repeat for each rate (messages a second); bistream's way back is slower by a
// tenth.
CaseResult streaming(int transport, Test test, std::uint64_t size,
                     const std::vector<double>& rates);
CaseResult not_measured(int transport, Test test, std::uint64_t size, CaseStatus status,
                        const std::string& reason);

// Two hosts, one transport, nine repeats, every field set.
ResultDocument two_hosts();
inline constexpr std::size_t kPingpong = 1;  // its cases, by index
inline constexpr std::size_t kStream = 2;
inline constexpr std::size_t kBistream = 3;
inline constexpr std::size_t kSkipped = 4;
// The same hosts, two transports that are compared.
ResultDocument two_transports();
// One host, in-process, one repeat, as little as a document can hold; sizes 0 and 1.
ResultDocument sparse();
// Ended by a failure of the peer.
ResultDocument interrupted();

}  // namespace pairbench::samples
