// Two connected endpoints of one transport in this process, each on a device of its own, as on two
// hosts.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "transport/endpoint.h"

namespace pairbench::conformance {

// Generous: a loaded machine under a sanitizer must not fail for slowness.
inline constexpr std::chrono::seconds kPatience{30};

// One end. Virtual, so that the suite is compiled once and not for every transport.
class Side {
 public:
  virtual ~Side() = default;

  virtual AddressBlob address() const = 0;
  virtual void connect(const AddressBlob& peer) = 0;
  virtual Post post_send(LocalSlice local, Token token, Signal signal) = 0;
  virtual Post post_send_imm(LocalSlice local, std::uint32_t imm, Token token, Signal signal) = 0;
  virtual Post post_recv(LocalSlice local, Token token) = 0;
  virtual LocalSlice memory() const = 0;
  virtual std::uint64_t longest_message() const = 0;

  LocalSlice slice(std::size_t offset, std::size_t size) const;

  // Polls once and keeps what came.
  virtual void poll() = 0;
  const std::vector<Completion>& completions() const { return completions_; }
  void forget() { completions_.clear(); }
  std::size_t count(CompletionKind kind) const;
  // The completion of this kind, if there is exactly one.
  std::optional<Completion> only(CompletionKind kind) const;

 protected:
  void keep(const Completion& completion) { completions_.push_back(completion); }

 private:
  std::vector<Completion> completions_;
};

struct Transport {
  std::string name;
  // Throws Error(no_device) where there is none.
  std::function<std::unique_ptr<Side>(const EndpointOptions&, std::size_t memory)> open;
  // Whether a message longer than its receive is reported.
  bool reports_truncation = true;

  // For the messages of GoogleTest.
  friend std::ostream& operator<<(std::ostream& out, const Transport& transport) {
    return out << transport.name;
  }
};

class Pair {
 public:
  explicit Pair(const Transport& transport, const EndpointOptions& options = {},
                std::size_t memory = std::size_t{1} << 20)
      : a_(transport.open(options, memory)), b_(transport.open(options, memory)) {
    a_->connect(b_->address());
    b_->connect(a_->address());
  }

  Side& a() { return *a_; }
  Side& b() { return *b_; }

  // Whether messages of `size` bytes are within what the transport says of itself.
  bool carries(std::size_t size) const { return size <= a_->longest_message(); }

  // Polls both sides in turn until `done`; false when patience runs out.
  template <class Done>
  [[nodiscard]] bool wait(Done done) {
    const Deadline deadline = Deadline::after(kPatience);
    while (!done()) {
      if (deadline.passed()) return false;
      a_->poll();
      b_->poll();
    }
    return true;
  }

  // Posts until it is accepted; false when patience runs out.
  template <class Attempt>
  [[nodiscard]] bool accepted(Attempt attempt) {
    return wait([&] { return attempt() != Post::busy; });
  }

  void forget() {
    a_->forget();
    b_->forget();
  }

 private:
  std::unique_ptr<Side> a_;
  std::unique_ptr<Side> b_;
};

// Bytes that depend on their place and on a seed, so that a shifted or stale payload shows.
void fill(const LocalSlice& slice, unsigned seed);
bool holds(const LocalSlice& slice, unsigned seed);

void write_number(const LocalSlice& slice, std::uint64_t number);
std::uint64_t read_number(const LocalSlice& slice);

}  // namespace pairbench::conformance
