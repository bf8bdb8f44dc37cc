// What goes along with an operation and comes back with its completion. A provider in mode
// FI_CONTEXT or FI_CONTEXT2 wants memory of its own for the operation's life: then it is a
// preallocated slot that holds the token; else the token itself is the context. Owner: the
// endpoint's thread. Nothing here allocates after construction.
#pragma once

#include <rdma/fabric.h>

#include <cstddef>
#include <type_traits>
#include <vector>

#include "transport/endpoint.h"

namespace pairbench::libfabric {

class OperationContexts {
 public:
  // At most `capacity` operations are outstanding at once.
  OperationContexts(std::size_t capacity, bool use_slots)
      : use_slots_(use_slots), room_(capacity), slots_(use_slots ? capacity : 0) {
    for (Slot& slot : slots_) push_free(&slot);
  }

  bool exhausted() const noexcept { return room_ == 0; }

  // The context to post with; unless the post is accepted, it is not taken. Not when exhausted.
  void* next(Token token) noexcept {
    if (!use_slots_) return reinterpret_cast<void*>(token);
    free_->token = token;
    return free_;
  }

  // The operation posted with the last next() was accepted. One that reports no completion keeps
  // its slot until the next one that does has completed.
  void accepted(Signal signal) noexcept {
    if (!use_slots_) {
      if (signal == Signal::yes) --room_;
      return;
    }
    Slot* const slot = free_;
    free_ = slot->next;
    slot->next = unsignalled_;
    unsignalled_ = signal == Signal::yes ? nullptr : slot;
    --room_;
  }

  // Takes back the context, and those that waited for it. Returns the token.
  Token completed(void* context) noexcept {
    if (!use_slots_) {
      ++room_;
      return reinterpret_cast<Token>(context);
    }
    auto* slot = static_cast<Slot*>(context);
    const Token token = slot->token;
    while (slot != nullptr) {
      Slot* const chained = slot->next;
      push_free(slot);
      ++room_;
      slot = chained;
    }
    return token;
  }

 private:
  struct Slot {
    fi_context2 provider;  // first: its address is the context
    Token token;
    Slot* next;  // in the free list, or the unsignalled operations that this one covers
  };
  static_assert(std::is_standard_layout_v<Slot>);

  void push_free(Slot* slot) noexcept {
    slot->next = free_;
    free_ = slot;
  }

  bool use_slots_;
  std::size_t room_;
  std::vector<Slot> slots_;
  Slot* free_ = nullptr;
  Slot* unsignalled_ = nullptr;
};

}  // namespace pairbench::libfabric
