// Which threads share their file descriptors with the one that asks.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>

#include "base/descriptors.h"

namespace pairbench {

// In how many threads' tables a descriptor of this thread's is.
inline int tables_with(int descriptor) {
  int count = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    const auto there = task.path() / "fd" / std::to_string(descriptor);
    count += std::filesystem::exists(std::filesystem::symlink_status(there)) ? 1 : 0;
  }
  return count;
}

// How many threads share one now: more than this one where a sanitizer has a thread of its own.
inline int threads_that_share() {
  const int descriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int count = tables_with(descriptor);
  ::close(descriptor);
  return count;
}

// A container's filter of system calls may refuse it.
inline bool own_descriptors_are_possible() {
  bool possible = false;
  std::jthread([&] { possible = use_own_descriptors(); }).join();
  return possible;
}

}  // namespace pairbench
