#include "report/posix_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <system_error>

namespace pairbench {
namespace {

// The kernel sends both to the thread that writes. One that is pending already stays so.
class WriteSignalsHeld {
 public:
  WriteSignalsHeld() {
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGXFSZ);
    sigaddset(&wanted, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    sigemptyset(&ours_);
    for (const int signal : {SIGXFSZ, SIGPIPE})
      if (sigismember(&pending, signal) == 0) sigaddset(&ours_, signal);
    pthread_sigmask(SIG_BLOCK, &wanted, &before_);
  }
  WriteSignalsHeld(const WriteSignalsHeld&) = delete;
  WriteSignalsHeld& operator=(const WriteSignalsHeld&) = delete;
  ~WriteSignalsHeld() {
    const int error = errno;
    const timespec at_once{0, 0};
    while (sigtimedwait(&ours_, nullptr, &at_once) > 0) continue;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }

 private:
  sigset_t ours_;
  sigset_t before_;
};

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

void throw_errno() {
  throw std::system_error(errno, std::generic_category());
}

Descriptor open_file(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  if (fd < 0) throw_errno();
  return Descriptor(fd);
}

Descriptor duplicate(int fd) {
  const int copy = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) throw_errno();
  return Descriptor(copy);
}

void write_all(int fd, std::string_view text) {
  const WriteSignalsHeld held;
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_errno();
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string read_all(int fd, std::size_t most) {
  std::string text;
  std::array<char, 1 << 16> buffer;
  for (;;) {
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_errno();
    if (count == 0) return text;
    if (static_cast<std::size_t>(count) > most - text.size())
      throw std::system_error(EFBIG, std::generic_category());
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

void sync(int fd) {
  if (::fsync(fd) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP) throw_errno();
}

void sync_folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  sync(open_file(folder.empty() ? "." : folder.string(), O_RDONLY | O_DIRECTORY).get());
}

}  // namespace pairbench
