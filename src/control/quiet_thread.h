// Helper threads that stay out of the way: no signal is ever delivered to them.
#pragma once

#include <csignal>
#include <thread>
#include <utility>

namespace pairbench {

// As std::jthread(function), with every signal blocked in the new thread, so that signals reach the
// thread that waits for them.
template <class F>
std::jthread start_quiet_thread(F&& function) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::jthread thread(std::forward<F>(function));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace pairbench
