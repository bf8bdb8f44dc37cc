#include "control/doorman.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>
#include <cerrno>
#include <exception>
#include <utility>

#include "base/resource_limits.h"
#include "base/units.h"
#include "control/messages.h"
#include "control/refusals.h"
#include "control/tcp_channel.h"

namespace pairbench {
namespace {

using asio::ip::tcp;
using std::chrono::milliseconds;
using std::chrono::seconds;

// How long somebody turned away may take to read why.
constexpr seconds kFarewell{1};

tcp family_of(int socket) {
  sockaddr_storage name{};
  socklen_t length = sizeof name;
  getsockname(socket, reinterpret_cast<sockaddr*>(&name), &length);
  return name.ss_family == AF_INET6 ? tcp::v6() : tcp::v4();
}

}  // namespace

Doorman::Guest::Guest(tcp::socket connected, std::string from)
    : socket(std::move(connected)), timer(socket.get_executor()), address(std::move(from)) {}

Doorman::Doorman(asio::io_context& io, Fd listener, const Secret* secret,
                 std::chrono::nanoseconds hello_deadline, Log log, Admit admit)
    : io_(io),
      acceptor_(io),
      rest_(io),
      secret_(secret),
      hello_deadline_(hello_deadline),
      log_(std::move(log)),
      admit_(std::move(admit)) {
  const tcp family = family_of(listener.get());
  acceptor_.assign(family, listener.release());
  keep_reserve();
  accept_next();
}

void Doorman::accept_next() {
  acceptor_.async_accept(from_, [this](const asio::error_code& error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (error) {
      log_(fmt::format("cannot accept a connection: {}; {}", error.message(),
                       limit_hint(error.value())));
      apologise(error.value());
      return rest_before_accepting();
    }
    try {
      welcome(std::move(socket));
    } catch (const std::exception& unable) {
      log_(fmt::format("cannot take a connection: {}", unable.what()));
    }
    accept_next();
  });
}

// Out of descriptors or memory: at full speed the same error would come back at once.
void Doorman::rest_before_accepting() {
  rest_.expires_after(milliseconds(100));
  rest_.async_wait([this](const asio::error_code& error) {
    if (error) return;
    keep_reserve();
    accept_next();
  });
}

void Doorman::keep_reserve() {
  if (!reserve_) reserve_.reset(open("/dev/null", O_RDONLY | O_CLOEXEC));
}

// Whoever waits would learn nothing until a descriptor is free.
void Doorman::apologise(int error) {
  if (!reserve_ || (error != EMFILE && error != ENFILE)) return;
  reserve_.reset();
  Fd socket(accept4(acceptor_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) return;
  std::string address = remote_address(socket.get());
  dismiss({std::move(socket), std::move(address)}, no_room(error));
}

void Doorman::welcome(tcp::socket socket) {
  const int descriptor = socket.native_handle();
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  set_liveness(descriptor, TcpChannel::kDefaultPeerTimeout);
  const auto length = static_cast<socklen_t>(from_.size());
  const auto guest =
      std::make_shared<Guest>(std::move(socket), format_address(from_.data(), length));
  seat(guest);
  receive_knock(guest);
}

void Doorman::receive_knock(const GuestPtr& guest) {
  limit(guest, hello_deadline_,
        fmt::format("it did not knock within {}", format_duration(hello_deadline_)));
  asio::async_read(guest->socket, asio::buffer(guest->knock),
                   [this, guest](const asio::error_code& error, std::size_t) {
                     if (error)
                       turn_away(guest, "it left without a knock");
                     else
                       knocked(guest);
                   });
}

void Doorman::knocked(const GuestPtr& guest) {
  const std::optional<Announcement> announced = decode_knock(guest->knock);
  if (!announced) return turn_away(guest, "it is no pairbench");
  if (announced->version != kProtocolVersion)
    return refuse(guest, version_mismatch(announced->version));
  if (announced->secret && !secret_) return refuse(guest, no_secret_here());
  if (!announced->secret && secret_) return refuse(guest, secret_needed());
  if (secret_)
    receive_nonce(guest);
  else
    let_in(guest);
}

// The time since it was accepted goes on counting.
void Doorman::receive_nonce(const GuestPtr& guest) {
  guest->late = fmt::format("it did not prove within {} that it knows the secret",
                            format_duration(hello_deadline_));
  hear(guest, guest->nonce, [this, guest] { challenge(guest); });
}

void Doorman::challenge(const GuestPtr& guest) {
  guest->proof.emplace(*secret_, guest->nonce);
  say(guest, guest->proof->challenge(),
      [this, guest] { hear(guest, guest->heard, [this, guest] { judge(guest); }); });
}

void Doorman::judge(const GuestPtr& guest) {
  const std::optional<ProofFrame> own = guest->proof->answer(guest->heard);
  if (!own) return refuse(guest, another_secret());
  say(guest, *own, [this, guest] { let_in(guest); });
}

template <class Buffer, class Then>
void Doorman::hear(const GuestPtr& guest, Buffer& buffer, Then then) {
  asio::async_read(guest->socket, asio::buffer(buffer),
                   [this, guest, then](const asio::error_code& error, std::size_t) {
                     go_on(guest, error, then);
                   });
}

template <class Then>
void Doorman::say(const GuestPtr& guest, const ProofFrame& frame, Then then) {
  guest->said = frame;
  asio::async_write(guest->socket, asio::buffer(guest->said),
                    [this, guest, then](const asio::error_code& error, std::size_t) {
                      go_on(guest, error, then);
                    });
}

// Without random numbers or a MAC from the system nobody is let in, and the server goes on.
template <class Then>
void Doorman::go_on(const GuestPtr& guest, const asio::error_code& error, const Then& then) {
  if (error) return turn_away(guest, "it left before it had proved that it knows the secret");
  try {
    then();
  } catch (const Error& unable) {
    turn_away(guest, unable.what());
  }
}

void Doorman::let_in(const GuestPtr& guest) {
  if (forget(guest)) admit_({Fd(guest->socket.release()), guest->address});
}

void Doorman::refuse(const GuestPtr& guest, const Failure& failure) {
  if (!forget(guest)) return;
  log_(fmt::format("told {}: {}", guest->address, failure.message));
  dismiss({Fd(guest->socket.release()), guest->address}, failure);
}

void Doorman::dismiss(Visitor visitor, const Failure& failure) {
  const tcp family = family_of(visitor.socket.get());
  const auto guest = std::make_shared<Guest>(tcp::socket(io_, family, visitor.socket.release()),
                                             std::move(visitor.address));
  guest->last_words = encode_frame(to_message(wire::FailureNotice{failure}));
  seat(guest);
  limit(guest, kFarewell, {});
  asio::async_write(guest->socket, asio::buffer(guest->last_words),
                    [this, guest](const asio::error_code& error, std::size_t) {
                      asio::error_code ignored;
                      guest->socket.shutdown(tcp::socket::shutdown_send, ignored);
                      if (error)
                        turn_away(guest, {});
                      else
                        wait_until_gone(guest);
                    });
}

// Closing on unread bytes would reset the connection and could overtake the last words.
void Doorman::wait_until_gone(const GuestPtr& guest) {
  guest->socket.async_read_some(asio::buffer(guest->ignored),
                                [this, guest](const asio::error_code& error, std::size_t) {
                                  if (error)
                                    turn_away(guest, {});
                                  else
                                    wait_until_gone(guest);
                                });
}

void Doorman::turn_away(const GuestPtr& guest, const std::string& why) {
  if (!forget(guest)) return;
  asio::error_code ignored;
  guest->socket.close(ignored);
  if (!why.empty()) log_(fmt::format("turned away {}: {}", guest->address, why));
}

void Doorman::limit(const GuestPtr& guest, std::chrono::nanoseconds time, std::string late) {
  guest->late = std::move(late);
  guest->timer.expires_after(time);
  guest->timer.async_wait([this, guest](const asio::error_code& error) {
    if (!error) turn_away(guest, guest->late);
  });
}

void Doorman::seat(const GuestPtr& guest) {
  if (guests_.size() == kMaxVisitors) {
    const GuestPtr oldest = guests_.front();
    turn_away(oldest, "too many wait at the door");
  }
  guests_.push_back(guest);
}

// False when the guest has been dealt with already.
bool Doorman::forget(const GuestPtr& guest) {
  const auto seated = std::ranges::find(guests_, guest);
  if (seated == guests_.end()) return false;
  guests_.erase(seated);
  guest->timer.cancel();
  return true;
}

}  // namespace pairbench
