#include "control/listener.h"

#include <fmt/format.h>
#include <netinet/in.h>

#include <cerrno>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/resource_limits.h"
#include "control/connector.h"

namespace pairbench {
namespace {

// 0 or the errno of the step that failed.
int try_listen(const SocketAddress& address, Fd& listening) {
  Fd socket(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) return errno;
  const int on = 1;
  const int off = 0;
  // A server started anew takes its port back from connections that still fade away.
  setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address.storage.ss_family == AF_INET6)
    setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (bind(socket.get(), address.generic(), address.length) != 0) return errno;
  if (listen(socket.get(), SOMAXCONN) != 0) return errno;
  listening = std::move(socket);
  return 0;
}

std::string hint_for(int error, std::uint16_t port) {
  if (error == EADDRINUSE)
    return fmt::format(
        "another program listens there, perhaps another `pairbench serve`: find it with "
        "`ss -ltnp 'sport = :{}'` and end it, or choose another port with --port (0: any)",
        port);
  if (error == EADDRNOTAVAIL) return "no interface of this host has that address: see `ip address`";
  if (error == EACCES) return "ports below 1024 need privileges: choose another with --port";
  return limit_hint(error);
}

std::vector<SocketAddress> addresses_of(const std::string& address, std::uint16_t port) {
  if (!address.empty()) {
    try {
      return resolve({address, port});
    } catch (const Error& error) {
      Failure failure = error.failure();
      failure.status = ExitStatus::usage;
      throw Error(std::move(failure));
    }
  }
  // The IPv6 wildcard takes IPv4 too; the second is for hosts without IPv6.
  std::vector<SocketAddress> all = resolve({"::", port});
  all.push_back(resolve({"0.0.0.0", port}).front());
  return all;
}

}  // namespace

Fd listen_on(const std::string& address, std::uint16_t port) {
  std::string tried;
  int first_error = 0;
  for (const SocketAddress& candidate : addresses_of(address, port)) {
    Fd listening;
    const int error = try_listen(candidate, listening);
    if (error == 0) return listening;
    if (first_error == 0 || error == EADDRINUSE) first_error = error;
    tried += fmt::format("{}{}: {}", tried.empty() ? "" : "\n", candidate.text(),
                         std::generic_category().message(error));
    // The other family's half of a port that somebody holds is not worth having.
    if (error == EADDRINUSE) break;
  }
  const std::string what = first_error == EADDRINUSE
                               ? fmt::format("port {} is in use", port)
                               : fmt::format("cannot listen on port {}", port);
  throw Error(ExitStatus::failed, Phase::connect, what, tried, hint_for(first_error, port));
}

}  // namespace pairbench
