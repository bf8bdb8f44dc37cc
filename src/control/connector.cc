#include "control/connector.h"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>

#include "base/deadline.h"
#include "control/door.h"
#include "control/tcp_channel.h"

namespace pairbench {
namespace {

constexpr std::chrono::milliseconds kSlice{10};
constexpr std::chrono::milliseconds kRetryPause{100};

std::string error_text(int number) {
  return std::generic_category().message(number);
}

bool same(const SocketAddress& a, const SocketAddress& b) {
  return a.length == b.length && std::memcmp(&a.storage, &b.storage, a.length) == 0;
}

// A failure that time may cure, for the retry to tell from one that it will not.
class Passing : public Error {
 public:
  using Error::Error;
};

[[noreturn]] void throw_unresolved(const EndpointName& name, int code) {
  const std::string cause = code == EAI_SYSTEM ? error_text(errno) : gai_strerror(code);
  const std::string message = fmt::format("cannot resolve the host name '{}'", name.host);
  const std::string hint = "check the spelling, or give the address";
  if (code == EAI_AGAIN) throw Passing(ExitStatus::peer, Phase::connect, message, cause, hint);
  throw Error(ExitStatus::peer, Phase::connect, message, cause, hint);
}

void call(const WhileConnecting& waiting) {
  if (waiting) waiting();
}

// Waits until the socket is writable; false at the deadline.
bool wait_writable(int socket, Deadline deadline, const WhileConnecting& waiting) {
  pollfd waited{socket, POLLOUT, 0};
  while (!deadline.passed()) {
    if (poll(&waited, 1, static_cast<int>(kSlice.count())) > 0) return true;
    call(waiting);
  }
  return false;
}

// A connect to a free local port can meet itself, since TCP allows that both ends open at once.
bool met_itself(int socket) {
  return local_address(socket) == remote_address(socket);
}

// 0 or the errno of one attempt.
int try_connect(const SocketAddress& address, Deadline deadline, const WhileConnecting& waiting,
                Fd& connected) {
  Fd socket(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return errno;
  if (connect(socket.get(), address.generic(), address.length) != 0) {
    if (errno != EINPROGRESS) return errno;
    if (!wait_writable(socket.get(), deadline, waiting)) return ETIMEDOUT;
    int result = 0;
    socklen_t length = sizeof result;
    getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &result, &length);
    if (result != 0) return result;
  }
  if (met_itself(socket.get())) return ECONNREFUSED;
  connected = std::move(socket);
  return 0;
}

void pause(const WhileConnecting& waiting) {
  const Deadline end = Deadline::after(kRetryPause);
  while (!end.passed()) {
    std::this_thread::sleep_for(kSlice);
    call(waiting);
  }
}

}  // namespace

const sockaddr* SocketAddress::generic() const {
  return reinterpret_cast<const sockaddr*>(&storage);
}

std::vector<SocketAddress> resolve(const EndpointName& name) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int code = getaddrinfo(name.host.c_str(), std::to_string(name.port).c_str(), &hints, &list);
  if (code != 0) throw_unresolved(name, code);
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, freeaddrinfo);
  std::vector<SocketAddress> addresses;
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    SocketAddress address;
    std::memcpy(&address.storage, entry->ai_addr, entry->ai_addrlen);
    address.length = entry->ai_addrlen;
    const bool known = std::ranges::any_of(
        addresses, [&](const SocketAddress& earlier) { return same(earlier, address); });
    if (!known) addresses.push_back(address);
  }
  return addresses;
}

Fd connect_to_any(const EndpointName& name, const std::vector<SocketAddress>& addresses,
                  std::chrono::nanoseconds timeout, const WhileConnecting& waiting) {
  std::string tried;
  for (const SocketAddress& address : addresses) {
    Fd connected;
    const int error = try_connect(address, Deadline::after(timeout), waiting, connected);
    if (error == 0) return connected;
    tried += fmt::format("{}{}: {}", tried.empty() ? "" : "\n", address.text(), error_text(error));
  }
  throw Passing(ExitStatus::peer, Phase::connect,
                fmt::format("cannot connect to {}", to_string(name)), tried,
                "run `pairbench serve` there; firewalls must let the control port through");
}

Connection connect_to_peer(const EndpointName& name, std::chrono::nanoseconds retry,
                           const WhileConnecting& waiting, const Secret* secret) {
  const Deadline give_up = Deadline::after(retry);
  for (;;) {
    try {
      Fd socket = connect_to_any(name, resolve(name), kConnectTimeout, waiting);
      std::string there = remote_address(socket.get());
      std::string here = local_address(socket.get());
      knock(socket, secret, waiting);
      return {std::make_unique<TcpChannel>(std::move(socket)), std::move(there), std::move(here)};
    } catch (const Passing&) {
      if (give_up.passed()) throw;
    }
    pause(waiting);
  }
}

}  // namespace pairbench
