#include "control/doorman.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <asio/buffer.hpp>
#include <asio/error.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>
#include <utility>

#include "base/units.h"
#include "control/messages.h"
#include "control/tcp_channel.h"

namespace pairbench {
namespace {

using asio::ip::tcp;
using std::chrono::milliseconds;
using std::chrono::seconds;

// How long somebody turned away may take to read why.
constexpr seconds kFarewell{1};

Failure version_mismatch(std::uint16_t theirs) {
  Failure failure;
  failure.status = ExitStatus::peer;
  failure.phase = Phase::hello;
  failure.message =
      fmt::format("the two ends speak different protocols: initiator {}, responder {}", theirs,
                  kProtocolVersion);
  failure.hint = "install the same version of pairbench on both hosts";
  return failure;
}

tcp family_of(int socket) {
  sockaddr_storage name{};
  socklen_t length = sizeof name;
  getsockname(socket, reinterpret_cast<sockaddr*>(&name), &length);
  return name.ss_family == AF_INET6 ? tcp::v6() : tcp::v4();
}

}  // namespace

Doorman::Guest::Guest(tcp::socket connected, std::string from)
    : socket(std::move(connected)), timer(socket.get_executor()), address(std::move(from)) {}

Doorman::Doorman(asio::io_context& io, Fd listener, std::chrono::nanoseconds hello_deadline,
                 Log log, Admit admit)
    : io_(io),
      acceptor_(io),
      rest_(io),
      hello_deadline_(hello_deadline),
      log_(std::move(log)),
      admit_(std::move(admit)) {
  const tcp family = family_of(listener.get());
  acceptor_.assign(family, listener.release());
  accept_next();
}

void Doorman::accept_next() {
  acceptor_.async_accept(from_, [this](const asio::error_code& error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (error) {
      log_(fmt::format("cannot accept a connection: {}", error.message()));
      return rest_before_accepting();
    }
    welcome(std::move(socket));
    accept_next();
  });
}

// Out of descriptors or memory: at full speed the same error would come back at once.
void Doorman::rest_before_accepting() {
  rest_.expires_after(milliseconds(100));
  rest_.async_wait([this](const asio::error_code& error) {
    if (!error) accept_next();
  });
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
  const std::optional<std::uint16_t> version = decode_knock(guest->knock);
  if (!version) return turn_away(guest, "it is no pairbench");
  if (!forget(guest)) return;
  Visitor visitor{Fd(guest->socket.release()), guest->address};
  if (*version == kProtocolVersion) return admit_(std::move(visitor));
  const Failure failure = version_mismatch(*version);
  log_(fmt::format("{}: {}", guest->address, failure.message));
  dismiss(std::move(visitor), failure);
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

void Doorman::limit(const GuestPtr& guest, std::chrono::nanoseconds time, const std::string& why) {
  guest->timer.expires_after(time);
  guest->timer.async_wait([this, guest, why](const asio::error_code& error) {
    if (!error) turn_away(guest, why);
  });
}

void Doorman::seat(const GuestPtr& guest) {
  if (guests_.size() == kMaxGuests) {
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
