// Counts the allocations of the whole program, for tests of what must not allocate.
#pragma once

#include <cstddef>

namespace pairbench::test {

std::size_t allocations();

}  // namespace pairbench::test
