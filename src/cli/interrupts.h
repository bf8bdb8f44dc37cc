// Ctrl-C, TERM and HUP: the first ends the run in good order, the second ends the process.
#pragma once

#include <csignal>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace pairbench {

// A library may have put handlers of INT, TERM and HUP there when it was loaded, before main:
// libinfinipath's ends the process with status 1. It handles crashes too, and may hang in doing so:
// a process that crashes must be gone. (AddressSanitizer's handlers stay.) What a provider installs
// later, when it is opened, stays.
void take_back_handlers();

// Holds the three back from before libraries are loaded and set such handlers, until
// release_interrupts, in which one that has come meanwhile takes effect. For .preinit_array.
void hold_interrupts();
void release_interrupts();

// Blocks the three signals in the thread that makes it, and so in all that this one starts later; a
// thread of its own waits for them. One object at a time.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // The number of the signal that has come, if one has.
  std::optional<int> pending();
  // Throws Interrupted if one has come.
  void check();

  // Calls these when a signal comes (at once, if it has), in a thread that sees no file opened
  // since this object was made. What they refer to lives until forget().
  void tell(std::function<void(int)> callback);
  void forget();

 private:
  void wait(const std::stop_token& stop);
  void arrived(int signal_number);

  std::mutex mutex_;
  std::optional<int> pending_;
  std::vector<std::function<void(int)>> callbacks_;
  sigset_t before_{};
  std::jthread thread_;
};

}  // namespace pairbench
