#include "control/inproc_channel.h"

#include <array>
#include <mutex>

#include "control/messages.h"
#include "control/queued_channel.h"

namespace pairbench {
namespace {

class InprocChannel;

// Which ends still live.
struct Pair {
  std::mutex mutex;
  std::array<InprocChannel*, 2> ends{};
};

class InprocChannel : public QueuedChannel {
 public:
  InprocChannel(std::shared_ptr<Pair> pair, std::size_t side, std::string peer)
      : QueuedChannel(std::string()), pair_(std::move(pair)), side_(side) {
    set_peer_name(std::move(peer));
    pair_->ends[side_] = this;
  }

  ~InprocChannel() override {
    const std::lock_guard lock(pair_->mutex);
    pair_->ends[side_] = nullptr;
    hand_over(to_message(wire::Bye{}));
  }

  void send(const Message& message) override {
    throw_if_ended();
    const std::lock_guard lock(pair_->mutex);
    hand_over(message);
  }

  void fail(const Failure& failure) override {
    const std::lock_guard lock(pair_->mutex);
    hand_over(to_message(wire::FailureNotice{failure}));
  }

  void set_peer_timeout(std::chrono::nanoseconds) override {}

 private:
  // Holds the pair's lock, so that the other end cannot go away meanwhile.
  void hand_over(const Message& message) {
    if (InprocChannel* peer = pair_->ends[1 - side_]) peer->deliver(message);
  }

  const std::shared_ptr<Pair> pair_;
  const std::size_t side_;
};

}  // namespace

std::pair<std::unique_ptr<Channel>, std::unique_ptr<Channel>> make_inproc_channels(
    std::string first_name, std::string second_name) {
  const auto pair = std::make_shared<Pair>();
  auto first = std::make_unique<InprocChannel>(pair, 0, std::move(second_name));
  auto second = std::make_unique<InprocChannel>(pair, 1, std::move(first_name));
  return {std::move(first), std::move(second)};
}

}  // namespace pairbench
