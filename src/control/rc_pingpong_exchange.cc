#include "control/rc_pingpong_exchange.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "control/connector.h"
#include "control/listener.h"

namespace pairbench {
namespace {

constexpr std::chrono::seconds kStep{10};
constexpr std::chrono::milliseconds kSlice{100};
constexpr const char* kOther =
    "the other side must be ibv_rc_pingpong, or pairbench interop rc_pingpong";
// Both lines travel with the NUL that ends them.
constexpr std::size_t kLineLength = sizeof "0000:000000:000000:00000000000000000000000000000000";
constexpr std::string_view kDone{"done", sizeof "done"};

void require_going_on(const std::atomic<bool>& stop) {
  if (stop.load()) throw Error(ExitStatus::failed, Phase::connect, "interrupted");
}

// Waits for a slice of time.
bool is_ready(const Fd& socket, short events) {
  pollfd ready{socket.get(), events, 0};
  return ::poll(&ready, 1, static_cast<int>(kSlice.count())) == 1;
}

Fd accept_one(const Fd& listener, const std::atomic<bool>& stop) {
  for (;;) {
    require_going_on(stop);
    if (!is_ready(listener, POLLIN)) continue;
    if (Fd client(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        client)
      return client;
  }
}

Fd connect_to(const EndpointName& name, const std::atomic<bool>& stop) {
  const std::vector<SocketAddress> addresses = resolve(name);
  const auto waiting = [&] { require_going_on(stop); };
  try {
    return connect_to_any(name, addresses, kConnectTimeout, waiting);
  } catch (const Error& error) {
    Failure failure = error.failure();
    failure.hint = fmt::format("{}, and wait there; firewalls must let TCP port {} through", kOther,
                               name.port);
    throw Error(failure);
  }
}

}  // namespace

std::string to_wire(const RcPingpongAddress& address) {
  std::string line =
      fmt::format("{:04x}:{:06x}:{:06x}:", address.lid, address.queue_pair, address.first_packet);
  for (const std::uint8_t byte : address.gid) line += fmt::format("{:02x}", byte);
  return line;
}

std::optional<RcPingpongAddress> from_wire(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\0'));
  if (line.size() + 1 != kLineLength) return std::nullopt;
  if (line[4] != ':' || line[11] != ':' || line[18] != ':') return std::nullopt;
  bool good = true;
  const auto hex = [&](std::size_t at, std::size_t digits) {
    std::uint32_t value = 0;
    const char* const end = line.data() + at + digits;
    good = good && std::from_chars(line.data() + at, end, value, 16).ptr == end;
    return value;
  };
  RcPingpongAddress address;
  address.lid = static_cast<std::uint16_t>(hex(0, 4));
  address.queue_pair = hex(5, 6);
  address.first_packet = hex(12, 6);
  for (std::size_t i = 0; i < address.gid.size(); ++i)
    address.gid[i] = static_cast<std::uint8_t>(hex(19 + 2 * i, 2));
  return good ? std::optional(address) : std::nullopt;
}

RcPingpongExchange::RcPingpongExchange(const std::string& host, std::uint16_t port,
                                       const std::atomic<bool>& stop)
    : is_client_(!host.empty()), stop_(stop) {
  socket_ = is_client_ ? connect_to({host, port}, stop) : accept_one(listen_on("", port), stop);
  peer_ = remote_address(socket_.get());
}

void RcPingpongExchange::await(short events, const Deadline& end) {
  while (!end.passed()) {
    require_going_on(stop_);
    if (is_ready(socket_, events)) return;
  }
  throw Error(ExitStatus::peer, Phase::hello,
              fmt::format("{} has not told its address within {} s", peer_, kStep.count()), "",
              kOther);
}

void RcPingpongExchange::write(std::string_view text) {
  const Deadline end = Deadline::after(kStep);
  while (!text.empty()) {
    await(POLLOUT, end);
    const ssize_t n = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (n < 0 && errno != EAGAIN && errno != EINTR)
      throw Error(ExitStatus::peer, Phase::hello, fmt::format("lost {}", peer_),
                  std::strerror(errno));
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::string RcPingpongExchange::read(std::size_t length) {
  const Deadline end = Deadline::after(kStep);
  std::string text(length, '\0');
  for (std::size_t have = 0; have < length;) {
    await(POLLIN, end);
    const ssize_t n = ::recv(socket_.get(), text.data() + have, length - have, 0);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
      throw Error(ExitStatus::peer, Phase::hello,
                  fmt::format("{} closed the connection before it told its address", peer_), "",
                  "look at its own output: it may have refused its device or GID");
    if (n > 0) have += static_cast<std::size_t>(n);
  }
  return text;
}

RcPingpongAddress RcPingpongExchange::learn() {
  const std::string line = read(kLineLength);
  if (const auto address = from_wire(line)) return *address;
  throw Error(ExitStatus::peer, Phase::hello,
              fmt::format("{} does not speak ibv_rc_pingpong's exchange", peer_), "", kOther);
}

RcPingpongAddress RcPingpongExchange::trade(const RcPingpongAddress& own) {
  write(std::string_view(to_wire(own).c_str(), kLineLength));
  const RcPingpongAddress peer = learn();
  write(kDone);
  return peer;
}

void RcPingpongExchange::tell(const RcPingpongAddress& own) {
  write(std::string_view(to_wire(own).c_str(), kLineLength));
  read(kDone.size());
}

}  // namespace pairbench
