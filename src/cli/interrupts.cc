#include "cli/interrupts.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "control/channel.h"
#include "control/quiet_thread.h"

namespace pairbench {
namespace {

sigset_t the_three() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  return set;
}

// As the kernel takes it: so early nothing else that knows of signal sets is sure to work, the
// sanitizers' versions least of all.
using KernelMask = std::uint64_t;
KernelMask mask_at_start = 0;
bool held = false;

constexpr KernelMask bit_of(int number) {
  return KernelMask{1} << (number - 1);
}

// Ends the wait of the thread that no longer has to: a look now and then instead would disturb what
// is measured. None of the real-time signals, which the system may be unable to queue.
constexpr int kWakeUp = SIGUSR1;

}  // namespace

__attribute__((no_sanitize("address", "thread", "undefined"))) void hold_interrupts() {
  static constexpr KernelMask kThree = bit_of(SIGINT) | bit_of(SIGTERM) | bit_of(SIGHUP);
  held = syscall(SYS_rt_sigprocmask, SIG_BLOCK, &kThree, &mask_at_start, sizeof kThree) == 0;
}

void release_interrupts() {
  if (std::exchange(held, false))
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask_at_start, nullptr, sizeof mask_at_start);
}

void take_back_handlers() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction present {};
    sigaction(number, nullptr, &present);
    if (present.sa_handler != SIG_IGN) signal(number, SIG_DFL);
  }
#ifndef __SANITIZE_ADDRESS__
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) signal(number, SIG_DFL);
#endif
}

Interrupts::Interrupts() {
  const sigset_t set = the_three();
  take_back_handlers();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
  thread_ = start_quiet_thread([this](const std::stop_token& stop) { wait(stop); });
}

Interrupts::~Interrupts() {
  thread_.request_stop();
  pthread_kill(thread_.native_handle(), kWakeUp);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Interrupts::wait(const std::stop_token& stop) {
  sigset_t set = the_three();
  sigaddset(&set, kWakeUp);
  while (!stop.stop_requested()) {
    const int number = sigwaitinfo(&set, nullptr);
    if (number > 0 && number != kWakeUp) arrived(number);
  }
}

void Interrupts::arrived(int signal_number) {
  const std::unique_lock lock(mutex_);
  if (pending_) {
    // The second one means it. Left to its disposition, which ends the process; a provider that
    // keeps files (shm) may have put a handler there that removes them first.
    const sigset_t set = the_three();
    raise(signal_number);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    return;
  }
  pending_ = signal_number;
  for (const auto& callback : callbacks_) callback(signal_number);
}

std::optional<int> Interrupts::pending() {
  const std::unique_lock lock(mutex_);
  return pending_;
}

void Interrupts::check() {
  if (const auto number = pending()) throw Interrupted(*number);
}

void Interrupts::tell(std::function<void(int)> callback) {
  const std::unique_lock lock(mutex_);
  if (pending_) callback(*pending_);
  callbacks_.push_back(std::move(callback));
}

void Interrupts::forget() {
  const std::unique_lock lock(mutex_);
  callbacks_.clear();
}

}  // namespace pairbench
