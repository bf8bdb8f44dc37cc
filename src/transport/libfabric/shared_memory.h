// What the shm provider needs of the system and does not check well by itself: room in /dev/shm
// (writing to a page that is not there is a SIGBUS inside the provider) and the right to read a
// peer's memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace pairbench::libfabric {

// An endpoint's file in /dev/shm with the provider's default queues (1.17 and 2.1: 16 MiB, filled
// as it is used).
inline constexpr std::uint64_t kSharedMemoryRegionBytes = std::uint64_t{16} << 20;

// Throws Error(no_device, device) with needed and free bytes unless two endpoints fit.
void require_shared_memory(const std::string& folder = "/dev/shm");

// The provider lists itself only where an endpoint for every CPU would fit. What is short, if
// anything.
std::optional<std::string> shared_memory_shortage(const std::string& folder = "/dev/shm");

// Whether this process may use process_vm_readv, which shm uses above 4 KiB: "available", or
// "barred (…)", where the provider copies through its segments instead. Tried on this process
// itself; a peer of another user may still refuse.
std::string cross_memory_attach();

// kernel.yama.ptrace_scope, where the kernel has it: 0 lets any process of the same user attach.
std::optional<std::string> ptrace_scope();

}  // namespace pairbench::libfabric
