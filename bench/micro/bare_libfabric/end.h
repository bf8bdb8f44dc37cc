// An endpoint with its loops: post, spin, post.
#pragma once

#include <sched.h>
#include <sys/socket.h>

#include <cstdlib>

#include "bare_libfabric/objects.h"

namespace bare {

inline constexpr std::size_t kCreditBytes = 8;
inline constexpr std::size_t kPage = 4096;

// One of the two processes.
class End {
 public:
  End(const Options& options, int socket)
      : socket_(socket),
        size_(options.size),
        info_(find(options)),
        bytes_((std::max(options.size, kCreditBytes) + kPage - 1) / kPage * kPage),
        buffer_(static_cast<char*>(std::aligned_alloc(kPage, 2 * bytes_)), &std::free),
        sends_(std::max(options.window, kPingpongDepth)),
        receives_(std::min(info_->rx_attr->size, options.depth())),
        inject_(info_->tx_attr->inject_size),
        yield_(options.yield) {
    if (!buffer_) fail("no memory");
    std::memset(buffer_.get(), 1, 2 * bytes_);
    open();
    refill();
    exchange_addresses();
    meet();
  }

  const fi_info& info() const { return *info_; }

  // Datagrams between the two processes, beside the fabric; making progress while waiting.
  void tell(const void* data, std::size_t size) const {
    if (::send(socket_, data, size, MSG_NOSIGNAL) < 0) throw Gone();
  }
  void hear(void* data, std::size_t size) {
    ssize_t got = 0;
    await([&] { return (got = ::recv(socket_, data, size, MSG_DONTWAIT)) >= 0; });
    if (got == 0) throw Gone();
  }
  void meet() {
    char byte = 0;
    tell(&byte, 1);
    hear(&byte, 1);
  }

  // `after_each` round trip.
  template <class Function>
  void initiate(std::size_t count, const Function& after_each) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t before = received_;
      send(size_);
      refill();  // while the message is on its way
      await_more_than(before);
      after_each();
    }
    drain();
  }

  void respond(std::size_t count) {
    const std::size_t start = received_;
    for (std::size_t i = 0; i < count; ++i) {
      await_more_than(start + i);
      send(size_);
      refill();
    }
    drain();
  }

  // All receives of the receiver are posted at the start; each message back grants some anew.
  void stream(std::size_t count, std::size_t window) {
    const std::size_t start = received_;
    const auto granted = [&] { return receives_.size() + (received_ - start) * credit_; };
    for (std::size_t i = 0; i < count; ++i) {
      await([&] { return sends_.under_way() < window && i < granted(); });
      send_with_completion(size_);
      refill();
    }
    await([&] { return received_ - start == count / credit_; });
    drain();
  }

  // Messages and nanoseconds from the first receive to the last.
  std::array<double, 2> absorb(std::size_t count) {
    std::size_t granted = received_;
    const std::size_t target = granted + count;
    await_more_than(received_);
    const std::size_t first = received_;
    const double start = raw_ns();
    double end = start;
    while (true) {
      refill();
      for (; received_ - granted >= credit_; granted += credit_) send(kCreditBytes);
      if (received_ == target) break;
      await_more_than(received_);
      if (received_ == target) end = raw_ns();
    }
    drain();
    return {static_cast<double>(target - first), end - start};
  }

 private:
  void open() {
    check(fi_fabric(info_->fabric_attr, &to_.fabric, nullptr), "fi_fabric");
    check(fi_domain(to_.fabric, info_.get(), &to_.domain, nullptr), "fi_domain");
    if ((info_->domain_attr->mr_mode & FI_MR_LOCAL) != 0) {
      check(fi_mr_reg(to_.domain, buffer_.get(), 2 * bytes_, FI_SEND | FI_RECV, 0, 1, 0,
                      &to_.memory, nullptr),
            "fi_mr_reg");
      descriptor_ = fi_mr_desc(to_.memory);
    }
    fi_cq_attr queue{};
    queue.size = sends_.size() + receives_.size();
    queue.format = FI_CQ_FORMAT_CONTEXT;
    queue.wait_obj = FI_WAIT_NONE;
    check(fi_cq_open(to_.domain, &queue, &to_.queue, nullptr), "fi_cq_open");
    fi_av_attr addresses{};
    addresses.type = FI_AV_TABLE;
    addresses.count = 1;
    check(fi_av_open(to_.domain, &addresses, &to_.addresses, nullptr), "fi_av_open");
    check(fi_endpoint(to_.domain, info_.get(), &to_.endpoint, nullptr), "fi_endpoint");
    check(fi_ep_bind(to_.endpoint, &to_.queue->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
    check(fi_ep_bind(to_.endpoint, &to_.addresses->fid, 0), "fi_ep_bind");
    check(fi_enable(to_.endpoint), "fi_enable");
  }

  void exchange_addresses() {
    std::array<char, 1024> address{};
    std::size_t length = address.size();
    check(fi_getname(&to_.endpoint->fid, address.data(), &length), "fi_getname");
    tell(address.data(), length);
    hear(address.data(), address.size());
    if (fi_av_insert(to_.addresses, address.data(), 1, &peer_, 0, nullptr) != 1)
      fail("fi_av_insert: the other process's address is refused");
  }

  static bool accepted(ssize_t rc, const char* call) {
    if (rc == -FI_EAGAIN) return false;
    check(rc, call);
    return true;
  }
  void send(std::size_t size) {
    if (size > inject_) return send_with_completion(size);
    const auto post = [&] { return fi_inject(to_.endpoint, buffer_.get(), size, peer_); };
    await([&] { return accepted(post(), "fi_inject"); });
  }
  void send_with_completion(std::size_t size) {
    const auto post = [&] {
      return fi_send(to_.endpoint, buffer_.get(), size, descriptor_, peer_, sends_.next());
    };
    await([&] { return sends_.any() && accepted(post(), "fi_send"); });
    sends_.take();
  }
  void refill() {
    const auto post = [&] {
      return fi_recv(to_.endpoint, buffer_.get() + bytes_, bytes_, descriptor_, FI_ADDR_UNSPEC,
                     receives_.next());
    };
    for (; receives_.any(); receives_.take()) await([&] { return accepted(post(), "fi_recv"); });
  }
  void drain() {
    await([&] { return sends_.under_way() == 0; });
    refill();
  }
  void await_more_than(std::size_t count) {
    await([&] { return received_ > count; });
  }

  // Polls until `done`; now and then an empty poll looks around.
  template <class Done>
  void await(const Done& done) {
    constexpr std::uint32_t kOften = 1 << 12;
    double quiet_since = 0;
    std::uint32_t empty = 0;
    while (!done()) {
      if (poll()) {
        quiet_since = 0;
        continue;
      }
      if (yield_) sched_yield();
      if (++empty % kOften == 0) look_around(quiet_since);
    }
  }

  bool poll() {
    std::array<fi_cq_entry, 16> entries;
    const ssize_t count = fi_cq_read(to_.queue, entries.data(), entries.size());
    if (count <= 0) {
      if (count != -FI_EAGAIN && count != 0) fail_completion(count);
      return false;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const bool is_receive = receives_.owns(entries[i].op_context);
      (is_receive ? receives_ : sends_).put(entries[i].op_context);
      received_ += is_receive;
    }
    return true;
  }

  [[noreturn, gnu::cold]] void fail_completion(ssize_t rc) {
    fi_cq_err_entry error{};
    if (rc == -FI_EAVAIL && fi_cq_readerr(to_.queue, &error, 0) == 1) rc = -error.err;
    fail(std::string("completion: ") + fi_strerror(static_cast<int>(-rc)));
  }

  [[gnu::cold]] void look_around(double& quiet_since) const {
    const double now = raw_ns();
    if (quiet_since == 0) quiet_since = now;
    if (now - quiet_since > kDeadlineNs) fail("nothing moved for 10 s");
    char byte = 0;
    if (::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) throw Gone();
  }

  int socket_;
  std::size_t size_;
  Info info_;
  std::size_t bytes_;
  std::unique_ptr<char, decltype(&std::free)> buffer_;  // sent half, never written; received half
  Contexts sends_;
  Contexts receives_;
  std::size_t inject_;
  bool yield_;
  std::size_t credit_ = std::max<std::size_t>(1, receives_.size() / 4);
  std::size_t received_ = 0;
  fi_addr_t peer_ = FI_ADDR_UNSPEC;
  void* descriptor_ = nullptr;
  Objects to_;  // closed first
};

}  // namespace bare
