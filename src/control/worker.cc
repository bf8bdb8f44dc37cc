#include "control/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include "base/error.h"
#include "base/resource_limits.h"

namespace pairbench {
namespace {

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

// Between fork and exec only calls that are safe in a signal handler are allowed.
[[noreturn]] void become(char* const* argv, int inherited, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have died before the line above took effect.
  if (getppid() != parent) _exit(Worker::kCannotExecute);
  setpgid(0, 0);
  // Handlers of the parent must not run here: they would write into its pipes.
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) std::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  fcntl(inherited, F_SETFD, 0);
  execvp(argv[0], argv);
  _exit(Worker::kCannotExecute);
}

}  // namespace

Worker::Worker(const std::vector<std::string>& argv, int inherited) {
  std::vector<std::string> words = argv;
  const std::vector<char*> arguments = pointers(words);
  const pid_t parent = getpid();
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_ = fork();
  if (pid_ == 0) become(arguments.data(), inherited, parent);
  const int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid_ < 0) {
    throw Error(ExitStatus::failed, Phase::connect, "cannot start a process for the session",
                std::generic_category().message(error), limit_hint(error));
  }
}

Worker::~Worker() {
  if (ended()) return;
  signal(SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Worker::signal(int number) {
  if (!status_) kill(pid_, number);
}

std::optional<int> Worker::ended() {
  int status = 0;
  if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
  return status_;
}

std::string describe_wait_status(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

}  // namespace pairbench
