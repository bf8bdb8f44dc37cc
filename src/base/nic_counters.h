// What an adapter counts of its own troubles: errors, drops, retransmissions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace pairbench {

using NicCounters = std::map<std::string, std::uint64_t>;

// By the kernel's names, from the first of these that `device` is: an RDMA device (hw_counters and
// counters of its ports, summed), a network interface (statistics, and the network namespace's
// retransmitted TCP segments as "tcp_retransmitted_segments"). Counters of good traffic are left
// out. nullopt where `device` is neither.
std::optional<NicCounters> read_nic_counters(const std::string& device,
                                             const std::filesystem::path& root = "/");

// What rose from `before` to `after`, and by how much.
NicCounters risen(const NicCounters& before, const NicCounters& after);

}  // namespace pairbench
