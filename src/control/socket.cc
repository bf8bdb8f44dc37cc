#include "control/socket.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace pairbench {
namespace {

using GetName = int (*)(int, sockaddr*, socklen_t*);

struct Name {
  sockaddr_storage storage{};
  socklen_t length = sizeof(sockaddr_storage);
  bool known = false;

  // The socket interface passes every address family through sockaddr.
  sockaddr* generic() { return reinterpret_cast<sockaddr*>(&storage); }
};

Name name_of(int socket, GetName get_name) {
  Name name;
  name.known = get_name(socket, name.generic(), &name.length) == 0;
  return name;
}

std::string text_of(Name name) {
  return name.known ? format_address(name.generic(), name.length) : "unknown address";
}

// An IPv4 address that came in through a dual-stack socket, as IPv4; false for any other.
bool unmap(const sockaddr* address, socklen_t length, sockaddr_in& plain) {
  sockaddr_in6 mapped{};
  if (address->sa_family != AF_INET6 || length < sizeof mapped) return false;
  std::memcpy(&mapped, address, sizeof mapped);
  if (!IN6_IS_ADDR_V4MAPPED(&mapped.sin6_addr)) return false;
  plain = {};
  plain.sin_family = AF_INET;
  plain.sin_port = mapped.sin6_port;
  std::memcpy(&plain.sin_addr, mapped.sin6_addr.s6_addr + 12, sizeof plain.sin_addr);
  return true;
}

void set_option(int socket, int level, int name, int value) {
  setsockopt(socket, level, name, &value, sizeof value);
}

}  // namespace

void Fd::reset(int number) noexcept {
  if (number_ >= 0) close(number_);
  number_ = number;
}

std::string format_address(const sockaddr* address, socklen_t length) {
  sockaddr_in plain;
  if (unmap(address, length, plain))
    return format_address(reinterpret_cast<const sockaddr*>(&plain), sizeof plain);
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (getnameinfo(address, length, host.data(), host.size(), port.data(), port.size(),
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return "unknown address";
  if (address->sa_family == AF_INET6) return fmt::format("[{}]:{}", host.data(), port.data());
  return fmt::format("{}:{}", host.data(), port.data());
}

std::string remote_address(int socket) {
  return text_of(name_of(socket, getpeername));
}

std::string local_address(int socket) {
  return text_of(name_of(socket, getsockname));
}

std::uint16_t local_port(int socket) {
  Name name = name_of(socket, getsockname);
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (name.storage.ss_family == AF_INET6) {
    std::memcpy(&v6, &name.storage, sizeof v6);
    return ntohs(v6.sin6_port);
  }
  std::memcpy(&v4, &name.storage, sizeof v4);
  return ntohs(v4.sin_port);
}

void set_liveness(int socket, std::chrono::nanoseconds timeout) {
  const auto wanted = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
  const auto longest = std::int64_t{std::numeric_limits<int>::max()};
  const int milliseconds = static_cast<int>(std::clamp<std::int64_t>(wanted, 1, longest));
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE, std::clamp(milliseconds / 2000, 1, 60));
  set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 1);
  set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, milliseconds);
}

}  // namespace pairbench
