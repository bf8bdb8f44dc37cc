// What one session may ask of a responder at most. Each limit lies beyond what anybody measures,
// and is low enough that nobody can hold a server for ever or have it allocate without bound;
// memory has a limit of its own, `serve --max-memory`, and so have frames (control/protocol.h).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/plan.h"

namespace pairbench {

namespace limits {

// Two are compared as a rule, a dozen now and then; each has an endpoint and buffers of its own.
inline constexpr std::size_t kTransports = 64;
// Labels are shown, in whole. No text of a transport is longer.
inline constexpr std::size_t kLabel = 1024;
// Five transports, three tests and 4096 sizes, as many as --sizes takes.
inline constexpr std::size_t kCases = std::size_t{1} << 16;
// As many as the statistics rank.
inline constexpr int kRepeats = 1000;
// A TiB. The buffers for it count as memory.
inline constexpr std::uint64_t kMessageSize = std::uint64_t{1} << 40;
// Of receives posted and of sends in flight: a hundred times what devices have.
inline constexpr std::uint64_t kDepth = std::uint64_t{1} << 24;
// Of one case: a week of 25 million a second. Counts of bytes stay below 2^64 for 1 MiB each.
inline constexpr std::uint64_t kMessages = std::uint64_t{1} << 44;
// From knock to end, and so of each case: a run over a weekend, and as much again.
inline constexpr std::chrono::hours kSession{7 * 24};
// How long a peer may be silent. Long enough to look at it in a debugger overnight.
inline constexpr std::chrono::hours kPeerTimeout{24};
// How long each end looks for gaps in its CPU's time; a plan asks for a second.
inline constexpr std::chrono::minutes kDetourSpin{1};

}  // namespace limits

// For the transports that somebody greets with, before any of them is opened. Throws Error(peer,
// hello).
void require_lawful(const std::vector<TransportSpec>& transports);

// What the transports need at least of one host, whatever the plan makes of them.
std::uint64_t least_memory(const std::vector<TransportSpec>& transports);

// For a plan that somebody else made. Throws Error(peer, plan) that says what was asked and what
// the limit is, or where the plan contradicts itself so that carrying it out would leave its
// buffers and queues.
void require_lawful(const Plan& plan);

}  // namespace pairbench
