// What the tests of this room share: sockets without a channel on them, and patience with a limit.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/deadline.h"
#include "base/error.h"
#include "control/channel.h"
#include "control/connector.h"
#include "control/listener.h"
#include "control/socket.h"

namespace pairbench::control_test {

using namespace std::chrono_literals;

// Long enough for a loaded machine under a sanitizer; no test waits for it to pass.
inline constexpr auto kPatience = 20s;

inline Deadline soon() {
  return Deadline::after(kPatience);
}

// A port that was free a moment ago.
inline std::uint16_t free_port() {
  return local_port(listen_on("127.0.0.1", 0).get());
}

inline bool eventually(const std::function<bool()>& condition) {
  const Deadline deadline = soon();
  while (!condition()) {
    if (deadline.passed()) return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

// Whether the socket has something to read (or its end) before the deadline.
inline bool readable(int socket, std::chrono::milliseconds limit = kPatience) {
  pollfd waited{socket, POLLIN, 0};
  return poll(&waited, 1, static_cast<int>(limit.count())) > 0;
}

inline Fd connect_raw(const std::string& host, std::uint16_t port) {
  const EndpointName name{host, port};
  return connect_to_any(name, resolve(name), kPatience);
}

inline Fd accept_raw(const Fd& listener) {
  EXPECT_TRUE(readable(listener.get()));
  return Fd(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
}

// Two connected TCP sockets.
inline std::pair<Fd, Fd> socket_pair() {
  const Fd listener = listen_on("127.0.0.1", 0);
  Fd first = connect_raw("127.0.0.1", local_port(listener.get()));
  return {std::move(first), accept_raw(listener)};
}

// False when the other end does not take it any more.
inline bool write_raw(const Fd& socket, std::string_view bytes) {
  while (!bytes.empty()) {
    pollfd waited{socket.get(), POLLOUT, 0};
    if (poll(&waited, 1, 20'000) <= 0) return false;
    const ssize_t written = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Everything until the end of the stream.
inline std::string read_to_end(const Fd& socket) {
  std::string all;
  char buffer[4096];
  while (readable(socket.get())) {
    const ssize_t count = recv(socket.get(), buffer, sizeof buffer, 0);
    if (count <= 0) return all;
    all.append(buffer, static_cast<std::size_t>(count));
  }
  ADD_FAILURE() << "the stream did not end";
  return all;
}

// The Failure that the call throws.
inline Failure failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.failure();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

inline Message text_message(std::string type, std::string text = {}) {
  return {std::move(type), {{"text", std::move(text)}}};
}

}  // namespace pairbench::control_test
