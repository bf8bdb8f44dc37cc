// The secret that both ends share. Its bytes leave this object only as the key of a MAC: never into
// a message, an error or a log.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

namespace pairbench {

using Mac = std::array<unsigned char, 32>;

class Secret {
 public:
  static constexpr std::size_t kShortest = 16;
  static constexpr std::size_t kLongest = 4096;

  // Throws Error(usage) for bytes shorter or longer than that.
  explicit Secret(std::string bytes);
  // Overwrites them.
  ~Secret();
  Secret(Secret&& other) noexcept;
  Secret& operator=(Secret&&) = delete;

  // The content of a file without one newline at its end. Throws Error(failed, read) for a file
  // that cannot be read, is no regular file, can be read by others than its owner, or whose content
  // is no secret.
  static Secret from_file(const std::string& path);

  // HMAC-SHA256 of `message` under this secret. Throws Error(failed, hello) if OpenSSL has none.
  Mac mac(std::span<const unsigned char> message) const;

 private:
  std::string bytes_;
};

}  // namespace pairbench
