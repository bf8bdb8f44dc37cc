#include "control/secret.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "control/socket.h"

namespace pairbench {
namespace {

constexpr const char* kMakeOne =
    "make one: (umask 077; openssl rand -hex 32 >FILE), and copy it to both hosts";

[[noreturn]] void refuse_secret_file(const std::string& path, const std::string& cause,
                                     const std::string& hint) {
  throw Error(ExitStatus::failed, Phase::read, fmt::format("--secret-file: cannot take '{}'", path),
              cause, hint);
}

std::string system_error_text(int number) {
  return std::generic_category().message(number);
}

// A file that somebody else may read keeps no secret.
void require_private(const std::string& path, const Fd& file) {
  struct stat status {};
  if (fstat(file.get(), &status) != 0) refuse_secret_file(path, system_error_text(errno), {});
  if (!S_ISREG(status.st_mode)) refuse_secret_file(path, "it is no regular file", kMakeOne);
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    refuse_secret_file(path,
                       fmt::format("others than its owner have access to it (mode {:04o})",
                                   status.st_mode & 07777u),
                       fmt::format("chmod 600 {}", path));
}

// Up to `most` bytes.
std::string read_up_to(const std::string& path, const Fd& file, std::size_t most) {
  std::string bytes(most, '\0');
  std::size_t filled = 0;
  while (filled < most) {
    const ssize_t count = read(file.get(), bytes.data() + filled, most - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse_secret_file(path, system_error_text(errno), {});
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  OPENSSL_cleanse(bytes.data() + filled, most - filled);
  bytes.resize(filled);
  return bytes;
}

}  // namespace

Secret::Secret(std::string bytes) : bytes_(std::move(bytes)) {
  if (bytes_.size() >= kShortest && bytes_.size() <= kLongest) return;
  const std::string problem =
      bytes_.empty() ? "it is empty"
      : bytes_.size() < kShortest
          ? fmt::format("it has {} bytes, {} are needed", bytes_.size(), kShortest)
          : fmt::format("it has more than {} bytes", kLongest);
  OPENSSL_cleanse(bytes_.data(), bytes_.size());
  throw_usage(problem);
}

// A secret is too long to be kept within the string itself: nothing of it stays behind.
Secret::Secret(Secret&& other) noexcept {
  bytes_.swap(other.bytes_);
}

Secret::~Secret() {
  OPENSSL_cleanse(bytes_.data(), bytes_.size());
}

Secret Secret::from_file(const std::string& path) {
  // Not to be held up by a FIFO that nobody writes to.
  const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) refuse_secret_file(path, system_error_text(errno), kMakeOne);
  require_private(path, file);
  std::string bytes = read_up_to(path, file, kLongest + 2);
  if (bytes.ends_with('\n')) bytes.pop_back();
  try {
    return Secret(std::move(bytes));
  } catch (const Error& error) {
    refuse_secret_file(path, error.what(), kMakeOne);
  }
}

Mac Secret::mac(std::span<const unsigned char> message) const {
  Mac mac;
  unsigned length = 0;
  if (HMAC(EVP_sha256(), bytes_.data(), static_cast<int>(bytes_.size()), message.data(),
           message.size(), mac.data(), &length) == nullptr ||
      length != mac.size())
    throw Error(ExitStatus::failed, Phase::hello, "OpenSSL computes no HMAC-SHA256", {},
                "see what its configuration (OPENSSL_CONF) leaves of it");
  return mac;
}

}  // namespace pairbench
