// How often this thread called operator new, which allocation_count.cc replaces.
#pragma once

#include <cstdint>

namespace pairbench::testing {

std::uint64_t allocations_of_this_thread();

class AllocationCount {
 public:
  std::uint64_t since() const { return allocations_of_this_thread() - start_; }

 private:
  std::uint64_t start_ = allocations_of_this_thread();
};

}  // namespace pairbench::testing
