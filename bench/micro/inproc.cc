// The harness's own cost: an in-process ping-pong by how it reaches the endpoint, against a bare
// cache-line flag; posting and polling; credits.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "base/cpu.h"
#include "transport/inproc/device.h"
#include "workload/flow.h"
#include "workload/payload.h"
#include "workload/pingpong.h"

namespace {

using namespace pairbench;

constexpr std::uint64_t kRoundTrips = 100'000;
constexpr std::uint64_t kSize = 8;
constexpr std::uint64_t kDepth = 64;

// The CPUs of a benchmark, whose thread gets back all of them at the end. A thread inherits what
// its starter may use, so they are read once, before anybody is pinned.
class Cpus {
 public:
  ~Cpus() { set_allowed_cpus(all_); }
  bool only_one() const { return all_.size() < 2; }
  // The calling thread, to the second CPU where there is one.
  void pin(std::size_t which) const { set_allowed_cpus({all_[which % all_.size()]}); }

 private:
  std::vector<int> all_ = allowed_cpus();
};

// The same operations behind a virtual call each.
class VirtualEndpoint {
 public:
  virtual ~VirtualEndpoint() = default;
  virtual AddressBlob address() const = 0;
  virtual void connect(const AddressBlob& peer) = 0;
  virtual Post post_send(LocalSlice slice, Token token, Signal signal) = 0;
  virtual Post post_send_imm(LocalSlice slice, std::uint32_t imm, Token token, Signal signal) = 0;
  virtual Post post_recv(LocalSlice slice, Token token) = 0;
  template <class Take>
  std::size_t poll(std::size_t most, Take&& take) {
    std::array<Completion, 16> found;
    const std::size_t n = poll_into(std::span(found).first(std::min(most, found.size())));
    for (std::size_t i = 0; i < n; ++i) take(found[i]);
    return n;
  }

 protected:
  virtual std::size_t poll_into(std::span<Completion> out) = 0;
};

class VirtualInproc final : public VirtualEndpoint {
 public:
  explicit VirtualInproc(const EndpointOptions& options) : endpoint_(options) {}
  AddressBlob address() const override { return endpoint_.address(); }
  void connect(const AddressBlob& peer) override { endpoint_.connect(peer); }
  Post post_send(LocalSlice slice, Token token, Signal signal) override {
    return endpoint_.post_send(slice, token, signal);
  }
  Post post_send_imm(LocalSlice slice, std::uint32_t imm, Token token, Signal signal) override {
    return endpoint_.post_send_imm(slice, imm, token, signal);
  }
  Post post_recv(LocalSlice slice, Token token) override {
    return endpoint_.post_recv(slice, token);
  }

 protected:
  std::size_t poll_into(std::span<Completion> out) override {
    std::size_t n = 0;
    return endpoint_.poll(out.size(), [&](const Completion& found) { out[n++] = found; });
  }

 private:
  inproc::Endpoint endpoint_;
};

constexpr EndpointOptions kOptions{kDepth, kDepth, kSize, SIZE_MAX};

// One end: E is the concrete endpoint or the interface.
template <class E>
struct End {
  explicit End(std::unique_ptr<E> e)
      : endpoint(std::move(e)),
        memory(kDepth * 64),
        ring{{memory.data(), memory.size(), 0}, 64, kDepth, kDepth, 1} {
    spent.reserve(kDepth);
    for (Token token = 0; token < kDepth; ++token)
      static_cast<void>(endpoint->post_recv(ring.slice(token), token));
  }
  Flow<E, PlainPayload> flow() { return {*endpoint, ring, spent, payload, waiter, 1}; }

  std::unique_ptr<E> endpoint;
  std::vector<std::byte> memory;
  std::vector<std::byte> send_memory = std::vector<std::byte>(64);
  RecvRing ring;
  std::vector<Token> spent;
  PlainPayload payload{{send_memory.data(), 64, 0}, kSize};
  std::atomic<bool> interrupted{false};
  std::atomic<std::uint64_t> peer_sent{kNotAnnounced};
  Link link{interrupted, peer_sent, {}, std::chrono::seconds(10), allowed_cpus().size() < 2};
  Waiter waiter{link};
};

// The types erased as the harness does it: one virtual call for a whole block, templates inside.
class Runner {
 public:
  virtual ~Runner() = default;
  virtual void connect(const AddressBlob& peer) = 0;
  virtual AddressBlob address() const = 0;
  virtual void initiate(std::span<Ticks> samples) = 0;
  virtual void respond(std::uint64_t count) = 0;
};

template <class E>
class RunnerOver final : public Runner {
 public:
  explicit RunnerOver(std::unique_ptr<E> endpoint) : end_(std::move(endpoint)) {}
  void connect(const AddressBlob& peer) override { end_.endpoint->connect(peer); }
  AddressBlob address() const override { return end_.endpoint->address(); }
  void initiate(std::span<Ticks> samples) override {
    auto flow = end_.flow();
    flow.start_block();
    pingpong_initiate(flow, TscClock{}, samples);
  }
  void respond(std::uint64_t count) override {
    auto flow = end_.flow();
    flow.start_block();
    pingpong_respond(flow, count);
  }

 private:
  End<E> end_;
};

// R is a concrete runner or the interface.
template <class R>
void run_pingpong(benchmark::State& state, R& here, R& there) {
  const Cpus cpus;
  here.connect(there.address());
  there.connect(here.address());
  std::vector<Ticks> samples(kRoundTrips);
  const auto while_the_thread_starts = std::span(samples).first(1000);
  cpus.pin(0);
  for ([[maybe_unused]] auto _ : state) {
    std::thread echo([&] {
      cpus.pin(1);
      there.respond(while_the_thread_starts.size() + kRoundTrips);
    });
    here.initiate(while_the_thread_starts);
    const auto start = std::chrono::steady_clock::now();
    here.initiate(samples);
    state.SetIterationTime(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
        kRoundTrips);
    echo.join();
  }
}

void pingpong_template(benchmark::State& state) {
  RunnerOver<inproc::Endpoint> a(std::make_unique<inproc::Endpoint>(kOptions));
  RunnerOver<inproc::Endpoint> b(std::make_unique<inproc::Endpoint>(kOptions));
  run_pingpong(state, a, b);
}
BENCHMARK(pingpong_template)->UseManualTime()->Iterations(5);

void pingpong_erased_per_case(benchmark::State& state) {
  const auto make = []() -> std::unique_ptr<Runner> {
    return std::make_unique<RunnerOver<inproc::Endpoint>>(
        std::make_unique<inproc::Endpoint>(kOptions));
  };
  const auto a = make();
  const auto b = make();
  run_pingpong(state, *a, *b);
}
BENCHMARK(pingpong_erased_per_case)->UseManualTime()->Iterations(5);

void pingpong_virtual_per_operation(benchmark::State& state) {
  RunnerOver<VirtualEndpoint> a(std::make_unique<VirtualInproc>(kOptions));
  RunnerOver<VirtualEndpoint> b(std::make_unique<VirtualInproc>(kOptions));
  run_pingpong(state, a, b);
}
BENCHMARK(pingpong_virtual_per_operation)->UseManualTime()->Iterations(5);

// The floor: a cache line each way.
void pingpong_flag(benchmark::State& state) {
  struct alignas(64) Flag {
    std::atomic<std::uint64_t> value{0};
  };
  const Cpus cpus;
  cpus.pin(0);
  for ([[maybe_unused]] auto _ : state) {
    Flag ping;
    Flag pong;
    const auto await = [&](const Flag& flag, std::uint64_t value) {
      while (flag.value.load(std::memory_order_acquire) != value) {
        if (cpus.only_one()) std::this_thread::yield();
      }
    };
    std::thread echo([&] {
      cpus.pin(1);
      for (std::uint64_t i = 1; i <= kRoundTrips; ++i) {
        await(ping, i);
        pong.value.store(i, std::memory_order_release);
      }
    });
    ping.value.store(1, std::memory_order_release);
    await(pong, 1);
    const auto start = std::chrono::steady_clock::now();
    for (std::uint64_t i = 2; i <= kRoundTrips; ++i) {
      ping.value.store(i, std::memory_order_release);
      await(pong, i);
    }
    state.SetIterationTime(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() /
        kRoundTrips);
    echo.join();
  }
}
BENCHMARK(pingpong_flag)->UseManualTime()->Iterations(5);

// Both ends in one thread: what post and poll cost without any transfer between cores.
void post_and_poll(benchmark::State& state) {
  inproc::Endpoint a(kOptions);
  inproc::Endpoint b(kOptions);
  a.connect(b.address());
  b.connect(a.address());
  std::vector<std::byte> memory(64);
  const LocalSlice slice{memory.data(), kSize, 0};
  const auto take = [](const Completion& found) { benchmark::DoNotOptimize(found.token); };
  for ([[maybe_unused]] auto _ : state) {
    static_cast<void>(b.post_recv(slice, 1));
    static_cast<void>(a.post_send(slice, 2, Signal::yes));
    benchmark::DoNotOptimize(b.poll(16, take));
    benchmark::DoNotOptimize(a.poll(16, take));
  }
}
BENCHMARK(post_and_poll);

// A message of a stream, both ends in one thread, with a credit back after every so many (0: none).
// What one credit costs, its handling included, is the difference of 1 and 0.
void message_with_credits(benchmark::State& state) {
  End<inproc::Endpoint> a(std::make_unique<inproc::Endpoint>(kOptions));
  End<inproc::Endpoint> b(std::make_unique<inproc::Endpoint>(kOptions));
  a.endpoint->connect(b.endpoint->address());
  b.endpoint->connect(a.endpoint->address());
  auto sender = a.flow();
  auto receiver = b.flow();
  const auto every = static_cast<std::uint32_t>(state.range(0));
  std::uint32_t uncredited = 0;
  for ([[maybe_unused]] auto _ : state) {
    sender.send(false);
    receiver.poll();
    receiver.refill();
    if (++uncredited == every) {
      receiver.send_credit(every);
      uncredited = 0;
    }
    sender.poll();
    sender.refill();
  }
  benchmark::DoNotOptimize(sender.counts().granted);
}
BENCHMARK(message_with_credits)->ArgName("every")->Arg(0)->Arg(1)->Arg(128)->MinTime(0.2);

}  // namespace
