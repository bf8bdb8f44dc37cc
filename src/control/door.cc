#include "control/door.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "base/deadline.h"
#include "base/error.h"
#include "base/units.h"
#include "control/framing.h"
#include "control/messages.h"
#include "control/proof.h"
#include "control/protocol.h"
#include "plan/json_fields.h"

namespace pairbench {
namespace {

using Waiting = std::function<void()>;

constexpr std::chrono::milliseconds kLook{10};

[[noreturn]] void throw_unproven(const std::string& server, const std::string& cause) {
  throw Error({ExitStatus::peer, Phase::hello,
               "the server did not prove that it knows the secret; nothing was measured", server,
               cause, "run this version of pairbench there, with the same --secret-file"});
}

void say(int socket, std::span<const char> bytes) {
  // A fresh connection has room for these few; whatever else goes wrong shows when the answer is
  // awaited.
  [[maybe_unused]] const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

// The other end, while it is to prove that it knows the secret.
class Threshold {
 public:
  Threshold(Fd& socket, const Waiting& waiting)
      : socket_(socket), server_(remote_address(socket.get())), waiting_(waiting) {}

  // The next frame of the proof. Throws the server's reason where that comes instead.
  ProofFrame hear() {
    ProofFrame frame;
    std::size_t filled = 0;
    while (filled < frame.size()) {
      await_bytes();
      if (filled == 0) throw_reason_instead();
      filled += take(std::span(frame).subspan(filled), 0);
    }
    return frame;
  }

  [[noreturn]] void refuse(const std::string& cause) const { throw_unproven(server_, cause); }

 private:
  void await_bytes() {
    pollfd waited{socket_.get(), POLLIN, 0};
    while (poll(&waited, 1, static_cast<int>(kLook.count())) <= 0) {
      if (waiting_) waiting_();
      if (deadline_.passed())
        refuse(fmt::format("it said nothing for {}", format_duration(kHelloDeadline)));
    }
  }

  std::size_t take(std::span<char> space, int flags) {
    const ssize_t count = recv(socket_.get(), space.data(), space.size(), flags);
    if (count > 0) return static_cast<std::size_t>(count);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    refuse(count == 0 ? "it closed the connection" : std::generic_category().message(errno));
  }

  // A refusal comes as a frame, whose length cannot begin like a knock.
  void throw_reason_instead() {
    char first = kMagic[0];
    take({&first, 1}, MSG_PEEK);
    if (first == kMagic[0]) return;
    throw_reason();
  }

  // Nothing is said meanwhile: the server has proved nothing.
  [[noreturn]] void throw_reason() {
    FrameDecoder frames(kMaxHelloFrame);
    std::optional<Message> message;
    try {
      while (!message) {
        await_bytes();
        message = frames.commit(take(frames.space(), 0));
      }
    } catch (const FormatError& error) {
      refuse(error.what());
    }
    if (message->type != wire::FailureNotice::kType)
      refuse("it speaks as if no secret had been asked for");
    Failure failure = from_message<wire::FailureNotice>(*message).failure;
    failure.host = server_;
    throw Error(failure);
  }

  Fd& socket_;
  const std::string server_;
  const Waiting& waiting_;
  const Deadline deadline_ = Deadline::after(kHelloDeadline);
};

void prove(Fd& socket, const Secret& secret, const Waiting& waiting) {
  Threshold server(socket, waiting);
  InitiatorProof proof(secret);
  say(socket.get(), proof.ask());
  const auto answer = proof.answer(server.hear());
  if (!answer) server.refuse("its answer is no challenge of this protocol");
  say(socket.get(), *answer);
  if (!proof.convinced_by(server.hear()))
    server.refuse("its proof does not fit: it knows another secret, or none");
}

}  // namespace

void knock(Fd& socket, const Secret* secret, const Waiting& waiting) {
  if (secret) return prove(socket, *secret, waiting);
  say(socket.get(), encode_knock());
}

}  // namespace pairbench
