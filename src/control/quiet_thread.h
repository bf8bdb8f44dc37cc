// Helper threads that stay out of the way: no signal is ever delivered to them, and they cost the
// measuring thread's system calls nothing.
#pragma once

#include <csignal>
#include <future>
#include <thread>
#include <utility>

#include "base/descriptors.h"

namespace pairbench {

// As std::jthread(function), with every signal blocked in the new thread, so that signals reach the
// thread that waits for them, and with descriptors of its own: those of the time of this call.
// `function` takes a std::stop_token.
template <class F>
std::jthread start_quiet_thread(F function) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::promise<void> begun;
  std::future<void> has_begun = begun.get_future();
  std::jthread thread([function = std::move(function),
                       begun = std::move(begun)](const std::stop_token& stop) mutable {
    use_own_descriptors();
    begun.set_value();
    function(stop);
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  has_begun.wait();
  return thread;
}

}  // namespace pairbench
