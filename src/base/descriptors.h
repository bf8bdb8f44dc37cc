// A helper thread's files apart from the measuring thread's.
#pragma once

#include <sched.h>

namespace pairbench {

// Gives the calling thread a copy of the process's table of file descriptors: what others open from
// now on is not in it, and what they close stays open until this thread ends or closes it too.
// While threads share a table the kernel counts references in each of their system calls, which is
// a hundredth of a round trip over tcp. False where it is refused: they are as slow as before.
inline bool use_own_descriptors() noexcept {
#ifdef __SANITIZE_THREAD__
  return false;  // it takes descriptors of one number for one file, whosever they are
#else
  return ::unshare(CLONE_FILES) == 0;
#endif
}

}  // namespace pairbench
