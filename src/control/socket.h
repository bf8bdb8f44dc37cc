// What the control plane needs of sockets beside Asio: an owned descriptor, printable addresses,
// liveness.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace pairbench {

// A file descriptor, closed on destruction.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int number) : number_(number) {}
  ~Fd() { reset(); }
  Fd(Fd&& other) noexcept : number_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept {
    reset(other.release());
    return *this;
  }

  int get() const noexcept { return number_; }
  explicit operator bool() const noexcept { return number_ >= 0; }
  int release() noexcept { return std::exchange(number_, -1); }
  void reset(int number = -1) noexcept;

 private:
  int number_ = -1;
};

// "10.0.0.2:18600", "[fe80::1%eth0]:18600"; an IPv4 address mapped into IPv6 reads as IPv4.
std::string format_address(const sockaddr* address, socklen_t length);

// Of a connected or bound socket; "unknown address" where the system does not tell.
std::string remote_address(int socket);
std::string local_address(int socket);
std::uint16_t local_port(int socket);

// Sends at once (TCP_NODELAY), and lets the kernel itself end a connection whose other host has not
// answered for `timeout` (SO_KEEPALIVE, TCP_USER_TIMEOUT), so that even a stopped process's socket
// shows the loss. Best effort: heartbeats are the first line.
void set_liveness(int socket, std::chrono::nanoseconds timeout);

}  // namespace pairbench
