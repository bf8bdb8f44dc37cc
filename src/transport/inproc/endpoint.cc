#include "transport/inproc/endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#include "base/error.h"

namespace pairbench::inproc {
namespace {

// Where endpoints of this process find each other's outbound rings; used at set-up alone.
class Hub {
 public:
  static Hub& instance() {
    static Hub hub;
    return hub;
  }

  std::uint64_t add(std::shared_ptr<Ring> ring) {
    const std::lock_guard lock(mutex_);
    rings_.emplace(++last_id_, std::move(ring));
    return last_id_;
  }
  void remove(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    rings_.erase(id);
  }
  std::shared_ptr<Ring> find(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    const auto found = rings_.find(id);
    return found == rings_.end() ? nullptr : found->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<Ring>> rings_;
  std::uint64_t last_id_ = 0;
};

[[noreturn, gnu::cold]] void throw_truncated(std::uint64_t message, std::size_t receive) {
  throw Error(
      ExitStatus::failed, Phase::measure,
      fmt::format("a message of {} bytes met a receive of {} bytes (inproc)", message, receive),
      "the receive buffer is too small");
}

}  // namespace

Endpoint::Endpoint(const EndpointOptions& options)
    : tx_depth_(options.tx_depth),
      inline_limit_(std::min(options.inline_limit, kMaxInline)),
      outbound_(std::make_shared<Ring>(options.tx_depth)),
      posted_(options.rx_depth),
      pending_(options.tx_depth) {
  id_ = Hub::instance().add(outbound_);
}

Endpoint::~Endpoint() {
  if (!outbound_) return;  // moved from
  Hub::instance().remove(id_);
  // A receiver may be copying out of memory that is about to go.
  outbound_->closed.store(true);
  while (outbound_->reading.load()) std::this_thread::yield();
}

AddressBlob Endpoint::address() const {
  AddressBlob blob(sizeof id_);
  std::memcpy(blob.data(), &id_, sizeof id_);
  return blob;
}

void Endpoint::connect(const AddressBlob& peer) {
  std::uint64_t id = 0;
  if (peer.size() == sizeof id) std::memcpy(&id, peer.data(), sizeof id);
  inbound_ = Hub::instance().find(id);
  if (!inbound_)
    throw Error(ExitStatus::peer, Phase::open, "no such in-process endpoint",
                "the address was not made by this process, or its endpoint is closed");
}

bool Endpoint::queue_full() {
  if (sent_ - reclaimed_ >= tx_depth_) return true;
  if (sent_ - known_consumed_ < outbound_->slots.size()) return false;
  known_consumed_ = outbound_->consumed.load(std::memory_order_acquire);
  return sent_ - known_consumed_ >= outbound_->slots.size();
}

Post Endpoint::post(LocalSlice slice, std::uint32_t imm, bool has_imm, Token token, Signal signal) {
  if (queue_full()) return Post::busy;
  MessageSlot& message = outbound_->slot(sent_);
  const bool inlined = slice.size <= inline_limit_;
  message.imm = imm;
  message.has_imm = has_imm;
  message.size = slice.size;
  message.data = inlined ? nullptr : slice.data;
  if (inlined && slice.size > 0) std::memcpy(message.payload.data(), slice.data, slice.size);
  message.sequence.store(static_cast<std::uint32_t>(sent_ + 1), std::memory_order_release);
  if (!inlined) borrowed_ = sent_ + 1;
  if (signal != Signal::no) pending_.push({sent_, borrowed_, token});
  ++sent_;
  return Post::accepted;
}

Post Endpoint::post_recv(LocalSlice slice, Token token) {
  if (posted_.full()) return Post::busy;
  posted_.push({slice, token});
  return Post::accepted;
}

void Endpoint::copy_out(const MessageSlot& message, const LocalSlice& to) {
  if (message.size > to.size) throw_truncated(message.size, to.size);
  if (message.size == 0) return;
  if (!message.data) {
    std::memcpy(to.data, message.payload.data(), message.size);
    return;
  }
  inbound_->reading.store(true);
  if (!inbound_->closed.load()) std::memcpy(to.data, message.data, message.size);
  inbound_->reading.store(false);
}

bool Endpoint::next_received(Completion& found) {
  if (!inbound_ || posted_.empty()) return false;
  const MessageSlot& message = inbound_->slot(received_);
  if (message.sequence.load(std::memory_order_acquire) != static_cast<std::uint32_t>(received_ + 1))
    return false;
  const PostedRecv recv = posted_.front();
  copy_out(message, recv.slice);
  posted_.pop();
  found = {recv.token, message.size, message.imm,
           message.has_imm ? CompletionKind::recv_imm : CompletionKind::recv};
  inbound_->consumed.store(++received_, std::memory_order_release);
  return true;
}

bool Endpoint::next_sent(Completion& found) {
  if (pending_.empty()) return false;
  const PendingSend send = pending_.front();
  if (known_consumed_ < send.needs_consumed) {
    known_consumed_ = outbound_->consumed.load(std::memory_order_acquire);
    if (known_consumed_ < send.needs_consumed) return false;
  }
  pending_.pop();
  reclaimed_ = send.number + 1;
  found = {send.token, 0, 0, CompletionKind::send};
  return true;
}

static_assert(pairbench::Endpoint<Endpoint>);

}  // namespace pairbench::inproc
