// The in-process transport: a complete engine without a network. Reference for the contract, bed
// for the tests, and floor of the harness's own cost.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "transport/endpoint.h"
#include "transport/inproc/ring.h"

namespace pairbench::inproc {

// Each end is used by one thread. Messages and completions keep their order. A message to a peer
// without a posted receive waits in the ring; when that is full, posts are busy. A message larger
// than the receive it meets throws Error(failed) in the receiver's poll.
class Endpoint {
 public:
  explicit Endpoint(const EndpointOptions& options);
  ~Endpoint();
  Endpoint(Endpoint&&) noexcept = default;
  Endpoint& operator=(Endpoint&&) = delete;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  AddressBlob address() const;
  void connect(const AddressBlob& peer);

  Post post_send(LocalSlice slice, Token token, Signal signal) {
    return post(slice, 0, false, token, signal);
  }
  Post post_send_imm(LocalSlice slice, std::uint32_t imm, Token token, Signal signal) {
    return post(slice, imm, true, token, signal);
  }
  Post post_recv(LocalSlice slice, Token token);
  template <class Take>
  std::size_t poll(std::size_t most, Take&& take) {
    Completion found;
    std::size_t n = 0;
    for (; n < most && next_received(found); ++n) take(found);
    for (; n < most && next_sent(found); ++n) take(found);
    return n;
  }

 private:
  struct PostedRecv {
    LocalSlice slice;
    Token token;
  };
  struct PendingSend {
    std::uint64_t number;          // of the message
    std::uint64_t needs_consumed;  // done when the receiver has consumed so many
    Token token;
  };
  // A queue over a fixed array; the caller keeps within its capacity.
  template <class T>
  class Fifo {
   public:
    explicit Fifo(std::size_t capacity) : items_(std::bit_ceil(capacity)), capacity_(capacity) {}
    bool empty() const { return head_ == tail_; }
    bool full() const { return tail_ - head_ == capacity_; }
    T& front() { return items_[head_ & (items_.size() - 1)]; }
    void push(const T& item) { items_[tail_++ & (items_.size() - 1)] = item; }
    void pop() { ++head_; }

   private:
    std::vector<T> items_;
    std::size_t capacity_;
    std::size_t head_ = 0;
    std::size_t tail_ = 0;
  };

  Post post(LocalSlice slice, std::uint32_t imm, bool has_imm, Token token, Signal signal);
  bool queue_full();
  // Whether there was one: it is in `found`.
  bool next_received(Completion& found);
  bool next_sent(Completion& found);
  void copy_out(const MessageSlot& message, const LocalSlice& to);

  std::uint64_t id_;
  std::size_t tx_depth_;
  std::size_t inline_limit_;
  std::shared_ptr<Ring> outbound_;
  std::shared_ptr<Ring> inbound_;
  Fifo<PostedRecv> posted_;
  Fifo<PendingSend> pending_;
  std::uint64_t sent_ = 0;
  std::uint64_t borrowed_ =
      0;  // one past the last message whose payload the receiver fetches itself
  std::uint64_t reclaimed_ = 0;       // sends before this number have been reported
  std::uint64_t known_consumed_ = 0;  // last seen of outbound_->consumed
  std::uint64_t received_ = 0;
};

}  // namespace pairbench::inproc
