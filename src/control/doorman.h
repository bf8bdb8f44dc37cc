// The responder's door: accepts connections, waits for their knock and, where there is a secret,
// for the proof that they know it; turns strangers away. Many at once, none of them able to hold up
// another.
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "control/framing.h"
#include "control/proof.h"
#include "control/secret.h"
#include "control/socket.h"

namespace pairbench {

// Somebody who knocked as the protocol wants it, and knows the secret if there is one; no frame has
// been read yet.
struct Visitor {
  Fd socket;
  std::string address;
};

class Doorman {
 public:
  using Log = std::function<void(const std::string& line)>;
  using Admit = std::function<void(Visitor visitor)>;

  // `secret`: null where none is asked for; outlives the doorman.
  Doorman(asio::io_context& io, Fd listener, const Secret* secret,
          std::chrono::nanoseconds hello_deadline, Log log, Admit admit);

  // Sends the failure and closes in a way that lets it arrive.
  void dismiss(Visitor visitor, const Failure& failure);

 private:
  struct Guest {
    Guest(asio::ip::tcp::socket connected, std::string from);

    asio::ip::tcp::socket socket;
    asio::steady_timer timer;
    std::string address;
    std::string late;  // what it has failed to do when the time is over
    Knock knock{};
    Nonce nonce{};
    std::optional<ResponderProof> proof;
    ProofFrame said{};
    ProofFrame heard{};
    std::string last_words;
    std::array<char, 4096> ignored{};
  };
  using GuestPtr = std::shared_ptr<Guest>;

  void accept_next();
  void rest_before_accepting();
  void keep_reserve();
  void apologise(int error);
  void welcome(asio::ip::tcp::socket socket);
  void receive_knock(const GuestPtr& guest);
  void knocked(const GuestPtr& guest);
  void receive_nonce(const GuestPtr& guest);
  void challenge(const GuestPtr& guest);
  void judge(const GuestPtr& guest);
  // Reads and writes of the proof; `then` runs when all bytes have gone.
  template <class Buffer, class Then>
  void hear(const GuestPtr& guest, Buffer& buffer, Then then);
  template <class Then>
  void say(const GuestPtr& guest, const ProofFrame& frame, Then then);
  template <class Then>
  void go_on(const GuestPtr& guest, const asio::error_code& error, const Then& then);
  void let_in(const GuestPtr& guest);
  void refuse(const GuestPtr& guest, const Failure& failure);
  void wait_until_gone(const GuestPtr& guest);
  void turn_away(const GuestPtr& guest, const std::string& why);
  void limit(const GuestPtr& guest, std::chrono::nanoseconds time, std::string late);
  void seat(const GuestPtr& guest);
  bool forget(const GuestPtr& guest);

  asio::io_context& io_;
  asio::ip::tcp::acceptor acceptor_;
  asio::ip::tcp::endpoint from_;  // of the connection accepted last
  asio::steady_timer rest_;
  Fd reserve_;  // given up for a connection that there is no descriptor for, to say so
  const Secret* const secret_;
  const std::chrono::nanoseconds hello_deadline_;
  const Log log_;
  const Admit admit_;
  std::list<GuestPtr> guests_;  // oldest first
};

}  // namespace pairbench
