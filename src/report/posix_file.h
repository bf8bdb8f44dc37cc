// Files by descriptor. Failures are std::system_error with the errno; signals are held off, so that
// a full disk, a size limit and a closed pipe are failures like any other.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace pairbench {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();

  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

// open(2), close-on-exec; new files get 0666 less the umask.
Descriptor open_file(const std::string& path, int flags);
Descriptor duplicate(int fd);

// Writes all of it, waiting where a pipe is full.
void write_all(int fd, std::string_view text);

// Everything up to the end of file. More bytes than `most` are EFBIG.
std::string read_all(int fd, std::size_t most);

// Returns once the data are on the medium; what has no medium is no failure.
void sync(int fd);
void sync_folder_of(const std::string& path);

// Throws what errno holds.
[[noreturn]] void throw_errno();

}  // namespace pairbench
