#include "base/buffer.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "base/error.h"

namespace pairbench {
namespace {

std::size_t page_size() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::string address_space_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return "the address space is not limited; the machine has too little memory";
  }
  return fmt::format("the address space is limited to {} bytes (ulimit -v)", limit.rlim_cur);
}

[[noreturn]] void throw_cannot_allocate(std::size_t bytes, int error) {
  throw Error(ExitStatus::failed, Phase::open,
              fmt::format("cannot allocate {} bytes for messages", bytes),
              fmt::format("{}: {}", std::strerror(error), address_space_limit()),
              "smaller messages or fewer receives (--sizes, --rx-depth)");
}

std::size_t whole_pages(std::size_t bytes) {
  const std::size_t page = page_size();
  if (bytes > std::numeric_limits<std::size_t>::max() - page) throw_cannot_allocate(bytes, ENOMEM);
  return bytes == 0 ? page : (bytes + page - 1) / page * page;
}

}  // namespace

Buffer::Buffer(std::size_t bytes) : size_(whole_pages(bytes)) {
  void* mapped = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw_cannot_allocate(bytes, errno);
  data_ = static_cast<std::byte*>(mapped);
  // A write takes the page; a read would only map the shared page of zeros.
  volatile std::byte* page = data_;
  for (std::size_t offset = 0; offset < size_; offset += page_size()) page[offset] = std::byte{0};
}

Buffer::~Buffer() {
  if (data_ != nullptr) munmap(data_, size_);
}

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

bool Buffer::lock() noexcept {
  // What registered memory needs of the same limit comes first.
  constexpr rlim_t kShare = 4;
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || size_ > limit.rlim_cur / kShare) return false;
  return mlock(data_, size_) == 0;
}

}  // namespace pairbench
