// The first message on a fresh endpoint, each way: it connects or shakes hands, and proves with the
// run's token that the right peer is at the other end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "transport/endpoint.h"
#include "workload/flow.h"

namespace pairbench {

// Shorter messages than this might take a different path than data would.
inline constexpr std::size_t kMinFirstMessage = 32;

// A payload that is the token itself, and wants to see the same from the peer.
class TokenPayload {
 public:
  static constexpr bool kChecks = false;
  static constexpr bool kReads = true;

  // `memory` holds at least token.size() bytes.
  TokenPayload(LocalSlice memory, std::span<const std::byte> token)
      : slice_(memory.first(token.size())), token_(token.begin(), token.end()) {
    std::copy(token.begin(), token.end(), memory.data);
  }

  std::uint64_t acquire(std::uint64_t /*sequence*/) { return 0; }
  const LocalSlice& slice(std::uint64_t /*slot*/) const { return slice_; }
  void release(std::uint64_t /*slot*/) {}
  void verify(const std::byte* data, std::uint64_t size) const {
    if (size == token_.size() && std::equal(token_.begin(), token_.end(), data)) return;
    throw Error(ExitStatus::peer, Phase::first_message,
                "the first message does not carry this run's token",
                "another program, or an earlier run, is at the other end of the data path",
                "try again; if it persists, look for a process using the same endpoint address");
  }

 private:
  LocalSlice slice_;
  std::vector<std::byte> token_;
};

}  // namespace pairbench
