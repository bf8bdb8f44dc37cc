#include "control/supervisor.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <csignal>
#include <exception>
#include <optional>
#include <utility>

#include "base/deadline.h"
#include "base/error.h"
#include "base/resource_limits.h"
#include "base/units.h"
#include "control/doorman.h"
#include "control/framing.h"
#include "control/listener.h"
#include "control/messages.h"
#include "control/worker.h"

namespace pairbench {
namespace {

constexpr std::chrono::seconds kCheckInterval{1};
// Its own, a session's and a visitor's. A provider takes more.
constexpr std::uint64_t kLeastOpenFiles = 14;

bool hung_up(int socket) {
  pollfd watched{socket, POLLRDHUP, 0};
  return poll(&watched, 1, 0) > 0 && (watched.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

// A worker with its peer's socket, which stays open here to see the peer hang up.
struct Session {
  Session(Visitor visitor, std::chrono::nanoseconds longest)
      : peer(std::move(visitor)), end(Deadline::after(longest)) {}

  Visitor peer;
  std::optional<Worker> worker;
  Deadline end;
  bool told_to_end = false;
  std::optional<Deadline::Clock::time_point> gone_since;
  bool outlived = false;  // killed for it
};

class Supervisor {
 public:
  explicit Supervisor(const ServeOptions& options);
  int run();

 private:
  void run_handlers();
  void admit(Visitor visitor);
  void refuse(Visitor visitor, std::string message, std::string cause, std::string hint);
  void start(Visitor visitor);
  void await_child();
  void reap();
  void session_ended(int status);
  int exit_status_of(int status) const;
  void check_peer_later();
  void check_peer();
  void check_time();
  void end_worker();
  void comfort_next();
  void await_stop();
  void stop(int signal_number);
  void finish(int exit_status);

  const ServeOptions& options_;
  asio::io_context io_;
  asio::signal_set stop_signals_;
  asio::signal_set child_signals_;
  asio::steady_timer check_timer_;
  asio::steady_timer stop_timer_;
  std::optional<Session> session_;
  std::optional<Visitor> next_;  // waits while a session whose peer has left comes to its end
  std::optional<int> stopping_;  // the signal
  int exit_status_ = 0;
  std::optional<Doorman> doorman_;
};

Supervisor::Supervisor(const ServeOptions& options)
    : options_(options),
      stop_signals_(io_, SIGINT, SIGTERM, SIGHUP),
      child_signals_(io_, SIGCHLD),
      check_timer_(io_),
      stop_timer_(io_) {}

int Supervisor::run() {
  require_open_files("a server", kLeastOpenFiles);
  Fd listener = listen_on(options_.address, options_.port);
  const std::string address = local_address(listener.get());
  const std::uint16_t port = local_port(listener.get());
  await_stop();
  await_child();
  doorman_.emplace(io_, std::move(listener), options_.secret, options_.hello_deadline, options_.log,
                   [this](Visitor visitor) { admit(std::move(visitor)); });
  options_.on_listening(address, port);
  run_handlers();
  return exit_status_;
}

// Out of memory perhaps: that ends what it was about, and no more.
void Supervisor::run_handlers() {
  while (!io_.stopped()) {
    try {
      io_.run();
    } catch (const std::exception& error) {
      options_.log(fmt::format("cannot go on with a connection: {}", error.what()));
    }
  }
}

void Supervisor::admit(Visitor visitor) {
  reap();
  if (stopping_) return refuse(std::move(visitor), "the server is being stopped", {}, {});
  if (!session_) return start(std::move(visitor));
  if (hung_up(session_->peer.socket.get()) && !next_ && !options_.once) {
    next_ = std::move(visitor);
    return;
  }
  refuse(std::move(visitor), "the server is busy",
         fmt::format("a session with {} is running", session_->peer.address),
         "wait until it has ended, or run a second server on another port");
}

void Supervisor::refuse(Visitor visitor, std::string message, std::string cause, std::string hint) {
  options_.log(fmt::format("told {}: {}", visitor.address, message));
  Failure failure;
  failure.status = ExitStatus::peer;
  failure.phase = Phase::hello;
  failure.message = std::move(message);
  failure.cause = std::move(cause);
  failure.hint = std::move(hint);
  doorman_->dismiss(std::move(visitor), failure);
}

void Supervisor::start(Visitor visitor) {
  const int socket = visitor.socket.get();
  session_.emplace(std::move(visitor), options_.longest_session);
  const auto give_up = [this](std::string cause, std::string hint) {
    Visitor unlucky = std::move(session_->peer);
    session_.reset();
    refuse(std::move(unlucky), "the server cannot start a session", std::move(cause),
           std::move(hint));
  };
  try {
    session_->worker.emplace(options_.worker_argv(socket), socket);
  } catch (const Error& error) {
    const Failure& why = error.failure();
    return give_up(why.cause.empty() ? why.message : fmt::format("{}: {}", why.message, why.cause),
                   why.hint);
  } catch (const std::exception& error) {
    return give_up(error.what(), {});
  }
  options_.log(fmt::format("session with {} began (process {})", session_->peer.address,
                           session_->worker->pid()));
  check_peer_later();
}

void Supervisor::await_child() {
  child_signals_.async_wait([this](const asio::error_code& error, int) {
    if (error) return;
    reap();
    await_child();
  });
}

void Supervisor::reap() {
  if (!session_) return;
  if (const std::optional<int> status = session_->worker->ended()) session_ended(*status);
}

void Supervisor::session_ended(int status) {
  options_.log(fmt::format("session with {} ended ({})", session_->peer.address,
                           describe_wait_status(status)));
  const int exit_status = exit_status_of(status);
  if (options_.session_ended) options_.session_ended(session_->worker->pid());
  session_.reset();
  check_timer_.cancel();
  stop_timer_.cancel();
  if (stopping_) return finish(128 + *stopping_);
  if (options_.once) return finish(exit_status);
  if (next_) start(*std::exchange(next_, std::nullopt));
}

int Supervisor::exit_status_of(int status) const {
  if (session_->outlived) return static_cast<int>(ExitStatus::peer);
  return WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(ExitStatus::failed);
}

void Supervisor::check_peer_later() {
  check_timer_.expires_after(kCheckInterval);
  check_timer_.async_wait([this](const asio::error_code& error) {
    if (error || !session_) return;
    check_peer();
    check_time();
    comfort_next();
    check_peer_later();
  });
}

void Supervisor::check_peer() {
  if (!session_->gone_since && hung_up(session_->peer.socket.get()))
    session_->gone_since = Deadline::Clock::now();
  if (!session_->gone_since || session_->outlived) return;
  if (Deadline::Clock::now() - *session_->gone_since < options_.worker_grace) return;
  options_.log(fmt::format("{} has been gone for {}, and its session hangs: killing process {}",
                           session_->peer.address, format_duration(options_.worker_grace),
                           session_->worker->pid()));
  session_->outlived = true;
  session_->worker->signal(SIGKILL);
}

void Supervisor::check_time() {
  if (session_->told_to_end || !session_->end.passed()) return;
  options_.log(fmt::format("the session with {} has lasted {}, the limit: ending process {}",
                           session_->peer.address, format_duration(options_.longest_session),
                           session_->worker->pid()));
  session_->told_to_end = true;
  end_worker();
}

// In order if it can, else by force.
void Supervisor::end_worker() {
  session_->worker->signal(SIGTERM);
  stop_timer_.expires_after(options_.stop_grace);
  stop_timer_.async_wait([this](const asio::error_code& error) {
    if (!error && session_) session_->worker->signal(SIGKILL);
  });
}

// A sign of life for the one who waits, or it would take this server for dead.
void Supervisor::comfort_next() {
  if (!next_) return;
  const std::string beat = encode_frame(to_message(wire::Heartbeat{}));
  // The few of them that are sent find room; a visitor who has left shows when its session starts.
  [[maybe_unused]] const ssize_t sent =
      ::send(next_->socket.get(), beat.data(), beat.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void Supervisor::await_stop() {
  stop_signals_.async_wait([this](const asio::error_code& error, int signal_number) {
    if (error) return;
    stop(signal_number);
    await_stop();
  });
}

void Supervisor::stop(int signal_number) {
  const bool again = stopping_.has_value();
  if (!again) stopping_ = signal_number;
  if (!session_) return finish(128 + *stopping_);
  if (again) return session_->worker->signal(SIGKILL);
  end_worker();
}

void Supervisor::finish(int exit_status) {
  exit_status_ = exit_status;
  io_.stop();
}

}  // namespace

int serve(const ServeOptions& options) {
  return Supervisor(options).run();
}

}  // namespace pairbench
