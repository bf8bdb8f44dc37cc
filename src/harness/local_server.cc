#include "harness/local_server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>
#include <thread>

#include "base/deadline.h"
#include "base/error.h"
#include "base/resource_limits.h"
#include "base/system_files.h"

namespace pairbench {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kReady = "listening on ";
// Whoever starts both ends has looked at the memory that there is.
constexpr const char* kNoLimit = "--max-memory=1048576G";

[[noreturn]] void not_started(
    const std::string& cause,
    const std::string& hint = "start it by hand and see what it says: pairbench serve --once") {
  throw Error(ExitStatus::failed, Phase::connect, "the local server did not start", cause, hint);
}

[[noreturn]] void not_started(std::string_view call, int error) {
  not_started(fmt::format("{}: {}", call, std::strerror(error)), limit_hint(error));
}

struct Pipe {
  explicit Pipe(int flags) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), flags) != 0) not_started("pipe", errno);
    out = Fd(ends[0]);
    in = Fd(ends[1]);
  }

  Fd out;
  Fd in;
};

// In the child, between fork and exec: nothing but async-signal-safe calls. Its own process group
// keeps the terminal's Ctrl-C for the initiator, which tells the server; it must not outlive us.
[[noreturn]] void become_server(int output, int errors, char* const* argv) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  dup2(output, STDOUT_FILENO);
  const int nowhere = open("/dev/null", O_RDWR);
  dup2(nowhere, STDIN_FILENO);
  dup2(errors, STDERR_FILENO);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execv("/proc/self/exe", argv);
  _exit(127);
}

bool ended(pid_t pid) {
  return waitpid(pid, nullptr, WNOHANG) != 0;
}

}  // namespace

LocalServer::LocalServer() {
  Pipe output(O_CLOEXEC);
  // Nobody reads it once the server listens: what does not fit must not hold the server up.
  Pipe errors(O_CLOEXEC | O_NONBLOCK);
  std::array<std::string, 7> words = {"pairbench", "serve", "--once", "--bind=127.0.0.1",
                                      "--port=0",  "-q",    kNoLimit};
  std::array<char*, 8> argv{};
  for (std::size_t i = 0; i < words.size(); ++i) argv[i] = words[i].data();
  pid_ = fork();
  if (pid_ == 0) become_server(output.in.get(), errors.in.get(), argv.data());
  if (pid_ < 0) not_started("fork", errno);
  output.in.reset();
  errors.in.reset();
  output_ = std::move(output.out);
  errors_ = std::move(errors.out);
  address_ = read_address();
}

std::string LocalServer::read_address() {
  const Deadline deadline = Deadline::after(10s);
  std::string line;
  while (!deadline.passed()) {
    pollfd waiting{output_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, 100) <= 0) continue;
    char c = 0;
    if (read(output_.get(), &c, 1) <= 0) not_started("it ended at once" + last_words());
    if (c != '\n') {
      line += c;
    } else if (line.rfind(kReady, 0) == 0) {
      return line.substr(kReady.size());
    } else {
      not_started("it said: " + line);
    }
  }
  not_started("it said nothing within ten seconds");
}

// Of a server that has ended: what it said about that, on lines of its own.
std::string LocalServer::last_words() {
  std::array<char, 4096> said{};
  const ssize_t count = read(errors_.get(), said.data(), said.size());
  if (count <= 0) return {};
  const std::string_view text(said.data(), static_cast<std::size_t>(count));
  return fmt::format(":\n{}", trimmed(text));
}

LocalServer::~LocalServer() {
  if (pid_ > 0) {
    for (const auto& [signal, patience] :
         {std::pair{0, 3s}, std::pair{SIGTERM, 5s}, std::pair{SIGKILL, 5s}}) {
      if (signal != 0) kill(pid_, signal);
      const Deadline deadline = Deadline::after(patience);
      bool gone = false;
      while (!(gone = ended(pid_)) && !deadline.passed()) std::this_thread::sleep_for(2ms);
      if (gone) break;
    }
  }
}

}  // namespace pairbench
