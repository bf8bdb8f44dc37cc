#include "control/tcp_channel.h"

#include <fmt/format.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <asio/buffer.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <deque>
#include <utility>

#include "base/deadline.h"
#include "base/units.h"
#include "control/framing.h"
#include "control/messages.h"
#include "control/quiet_thread.h"

namespace pairbench {

// Socket, timer and their thread. Members below the mark belong to that thread.
class TcpChannel::Wire {
 public:
  Wire(TcpChannel& channel, Fd socket, std::chrono::nanoseconds heartbeat);
  ~Wire();

  // Any thread.
  void write(std::string frame);
  void set_peer_timeout(std::chrono::nanoseconds timeout);
  // Whether the peer's host has acknowledged everything written so far, at the latest after
  // `limit`.
  bool flush(std::chrono::nanoseconds limit);
  // After the last write.
  void shut_down_sending();

 private:
  void read_some();
  void take(std::size_t bytes);
  void read_failed(const asio::error_code& error);
  void enqueue(std::string frame);
  void write_front();
  void written(const asio::error_code& error);
  void shut_down_when_drained();
  void beat();
  void schedule_beat();
  bool silent();
  std::chrono::nanoseconds allowed_silence() const;

  TcpChannel& channel_;
  const std::chrono::nanoseconds heartbeat_;
  std::mutex mutex_;
  std::condition_variable drained_;
  std::size_t unwritten_ = 0;  // frames
  bool broken_ = false;        // nothing more can be written

  asio::io_context io_;
  // -- the thread's own
  asio::ip::tcp::socket socket_;
  asio::steady_timer timer_;
  std::chrono::nanoseconds peer_timeout_ = kDefaultPeerTimeout;
  FrameDecoder decoder_{kMaxHelloFrame};
  std::size_t frame_bytes_ = 0;  // of the present one so far
  std::deque<std::string> outbox_;
  bool last_frame_queued_ = false;
  Deadline::Clock::time_point last_heard_ = Deadline::Clock::now();
  // --
  std::jthread thread_;  // last: ended before anything it uses
};

TcpChannel::Wire::Wire(TcpChannel& channel, Fd socket, std::chrono::nanoseconds heartbeat)
    : channel_(channel), heartbeat_(heartbeat), socket_(io_), timer_(io_) {
  set_liveness(socket.get(), peer_timeout_);
  // The family matters to Asio only where it makes addresses, which it does not here.
  socket_.assign(asio::ip::tcp::v6(), socket.release());
  read_some();
  schedule_beat();
  thread_ = start_quiet_thread([this](const std::stop_token&) { io_.run(); });
}

TcpChannel::Wire::~Wire() {
  io_.stop();
}

void TcpChannel::Wire::write(std::string frame) {
  {
    const std::lock_guard lock(mutex_);
    if (broken_) return;
    ++unwritten_;
  }
  asio::post(io_, [this, frame = std::move(frame)]() mutable { enqueue(std::move(frame)); });
}

void TcpChannel::Wire::set_peer_timeout(std::chrono::nanoseconds timeout) {
  asio::post(io_, [this, timeout] {
    peer_timeout_ = timeout;
    set_liveness(socket_.native_handle(), timeout);
    schedule_beat();
  });
}

bool TcpChannel::Wire::flush(std::chrono::nanoseconds limit) {
  const auto deadline = Deadline::Clock::now() + limit;
  std::unique_lock lock(mutex_);
  if (!drained_.wait_until(lock, deadline, [this] { return broken_ || unwritten_ == 0; }))
    return false;
  while (!broken_ && Deadline::Clock::now() < deadline) {
    int unacknowledged = 0;
    if (ioctl(socket_.native_handle(), SIOCOUTQ, &unacknowledged) != 0) return false;
    if (unacknowledged == 0) return true;
    // The system has no event for an acknowledgement.
    drained_.wait_for(lock, std::chrono::milliseconds(1));
  }
  return false;
}

void TcpChannel::Wire::shut_down_sending() {
  asio::post(io_, [this] {
    last_frame_queued_ = true;
    shut_down_when_drained();
  });
}

void TcpChannel::Wire::shut_down_when_drained() {
  asio::error_code ignored;
  if (last_frame_queued_ && outbox_.empty())
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
}

void TcpChannel::Wire::read_some() {
  const std::span<char> space = decoder_.space();
  socket_.async_read_some(asio::buffer(space.data(), space.size()),
                          [this](const asio::error_code& error, std::size_t bytes) {
                            if (error) return read_failed(error);
                            take(bytes);
                          });
}

void TcpChannel::Wire::take(std::size_t bytes) {
  last_heard_ = Deadline::Clock::now();
  frame_bytes_ += bytes;
  try {
    if (std::optional<Message> message = decoder_.commit(bytes)) {
      if (message->type != wire::Heartbeat::kType) decoder_.set_cap(kMaxFrame);
      channel_.deliver(std::move(*message), std::exchange(frame_bytes_, 0));
    }
  } catch (const FormatError& malformed) {
    return channel_.lose(fmt::format("it does not speak this protocol: {}", malformed.what()),
                         "is it pairbench at the other end?");
  }
  read_some();
}

void TcpChannel::Wire::read_failed(const asio::error_code& error) {
  if (error == asio::error::operation_aborted) return;
  {
    const std::lock_guard lock(mutex_);
    broken_ = true;
    drained_.notify_all();
  }
  if (error == asio::error::eof)
    channel_.lose("it closed the connection without a goodbye",
                  "it may have crashed or been killed");
  else
    channel_.lose(error.message(), "its process has ended, or the network between has failed");
}

void TcpChannel::Wire::enqueue(std::string frame) {
  outbox_.push_back(std::move(frame));
  if (outbox_.size() == 1) write_front();
}

void TcpChannel::Wire::write_front() {
  asio::async_write(socket_, asio::buffer(outbox_.front()),
                    [this](const asio::error_code& error, std::size_t) { written(error); });
}

void TcpChannel::Wire::written(const asio::error_code& error) {
  outbox_.pop_front();
  {
    const std::lock_guard lock(mutex_);
    --unwritten_;
    // The reason of the end is for the reader to find: the peer's last words may still be in the
    // way there.
    broken_ = broken_ || error;
    if (broken_ || unwritten_ == 0) drained_.notify_all();
  }
  if (error) return;
  if (!outbox_.empty()) write_front();
  shut_down_when_drained();
}

void TcpChannel::Wire::schedule_beat() {
  timer_.expires_at(std::min(Deadline::Clock::now() + heartbeat_, last_heard_ + allowed_silence()));
  timer_.async_wait([this](const asio::error_code& error) {
    if (!error) beat();
  });
}

void TcpChannel::Wire::beat() {
  if (silent()) {
    return channel_.lose(fmt::format("no sign of life for {}", format_duration(allowed_silence())),
                         "the peer's host, its process or the network between has stopped");
  }
  if (outbox_.empty()) write(encode_frame(to_message(wire::Heartbeat{})));
  schedule_beat();
}

bool TcpChannel::Wire::silent() {
  if (Deadline::Clock::now() < last_heard_ + allowed_silence()) return false;
  // After this process itself was stopped, what the peer sent meanwhile still waits to be read.
  asio::error_code error;
  const bool waiting = socket_.available(error) > 0;
  if (waiting) last_heard_ = Deadline::Clock::now();
  return !waiting;
}

std::chrono::nanoseconds TcpChannel::Wire::allowed_silence() const {
  return std::max(peer_timeout_, 3 * heartbeat_);
}

TcpChannel::TcpChannel(Fd socket, std::chrono::nanoseconds heartbeat)
    : QueuedChannel(remote_address(socket.get())),
      wire_(std::make_unique<Wire>(*this, std::move(socket), heartbeat)) {}

TcpChannel::~TcpChannel() {
  wire_->write(encode_frame(to_message(wire::Bye{})));
  wire_->shut_down_sending();
  wire_->flush(kFlushLimit);
}

void TcpChannel::send(const Message& message) {
  throw_if_ended();
  wire_->write(encode_frame(message));
}

void TcpChannel::fail(const Failure& failure) {
  wire_->write(encode_frame(to_message(wire::FailureNotice{failure})));
  wire_->flush(kFlushLimit);
}

void TcpChannel::set_peer_timeout(std::chrono::nanoseconds timeout) {
  wire_->set_peer_timeout(timeout);
}

}  // namespace pairbench
