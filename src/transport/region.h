// Memory that a device knows. A local slice is what this side posts; a remote slice is what the
// other side's RDMA operations name. They are distinct types: mixing them up does not compile.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pairbench {

struct LocalSlice {
  std::byte* data = nullptr;
  std::size_t size = 0;
  std::uint64_t key = 0;  // libfabric: the descriptor (fi_mr_desc); verbs: the lkey; inproc: unused

  // The first `bytes` bytes.
  LocalSlice first(std::size_t bytes) const noexcept { return {data, bytes, key}; }
};

struct RemoteSlice {
  std::uint64_t address = 0;  // virtual address or offset, as the target's device wants it
  std::uint64_t size = 0;
  std::uint64_t key = 0;  // libfabric: fi_mr_key; verbs: the rkey
};

}  // namespace pairbench
