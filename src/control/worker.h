// One session's process.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace pairbench {

// A child process that inherits one descriptor under its own number, beside standard input, output
// and error. It has its own process group, so that a Ctrl-C at the terminal reaches the supervisor
// alone, and dies with the thread that started it.
class Worker {
 public:
  // Throws Error(failed, connect) when the system will not start a process. A program that cannot
  // be executed shows as exit status kCannotExecute.
  static constexpr int kCannotExecute = 127;
  Worker(const std::vector<std::string>& argv, int inherited);
  // Kills it if it still lives.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number);

  // The wait status once it has ended (and from then on); never blocks.
  std::optional<int> ended();

 private:
  pid_t pid_ = -1;
  std::optional<int> status_;
};

// "exit status 0", "killed by signal 9 (Killed)".
std::string describe_wait_status(int status);

}  // namespace pairbench
