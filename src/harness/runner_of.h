// The one place where transports, workloads and clocks meet as templates; each
// <transport>_device.cc makes its own instance.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/buffer.h"
#include "harness/case_runner.h"
#include "harness/stall.h"
#include "workload/first_message.h"
#include "workload/payload.h"
#include "workload/pingpong.h"
#include "workload/stream.h"

namespace pairbench {

template <class Device>
class RunnerOf final : public CaseRunner {
 public:
  RunnerOf(Device& device, const RunnerContext& context)
      : device_(device),
        context_(context),
        stride_(context.plan.stride()),
        recv_memory_(stride_ * context.plan.recv_slots),
        send_memory_(stride_ * context.plan.send_slots),
        recv_region_(device.register_memory(recv_memory_.bytes())),
        send_region_(device.register_memory(send_memory_.bytes())),
        endpoint_(device.make_endpoint(options_of(context.plan))) {
    ring_ = {recv_region_.local(), stride_, context.plan.recv_slots, posted(context.plan), 1};
    spent_.reserve(ring_.depth);
    post_all();
  }

  AddressBlob address() const override { return endpoint_.address(); }
  void connect(const AddressBlob& peer) override {
    endpoint_.connect(peer);
    peer_ = peer;
  }
  void progress() override { make_progress(); }
  void require_quiet() override { endpoint_.poll(1, throw_stray); }

  Ticks first_message(std::span<const std::byte> token) override {
    return asking_the_device(device_, peer_, context_.link, [&] { return greet(token); });
  }

  BlockOutcome run_block(const Case& c, const BlockJob& job) override {
    return asking_the_device(device_, peer_, context_.link, [&] { return run_payload(c, job); });
  }

 private:
  using E = decltype(std::declval<Device&>().make_endpoint(EndpointOptions{}));
  using Region = decltype(std::declval<Device&>().register_memory({}));

  Ticks greet(std::span<const std::byte> token) {
    TokenPayload payload(send_region_.local(), token);
    Waiter waiter(context_.link);
    waiter.set_phase(Phase::first_message);
    Flow<E, TokenPayload> flow(endpoint_, ring_, spent_, payload, waiter, 1);
    flow.start_block();
    return on_clock([&](const auto& clock) {
      const Ticks start = clock.now();
      if (context_.role == Role::initiator) flow.send(true);
      flow.await_received(1);
      const Ticks elapsed = clock.now() - start;
      if (context_.role == Role::responder) flow.send(true);
      flow.drain();
      if (flow.counts().received != 1)
        throw_miscounted("first messages", flow.counts().received, 1);
      return elapsed;
    });
  }

  BlockOutcome run_payload(const Case& c, const BlockJob& job) {
    ring_.refill_batch = refill_batch(c);
    const bool initiates = context_.role == Role::initiator;
    if (c.check) {
      CheckedPayload payload(send_region_.local(), c.size_bytes, stride_, context_.plan.send_slots,
                             initiates ? 1 : 2, initiates ? 2 : 1);
      const BlockOutcome outcome = run_with(payload, c, job);
      payload.finish_block(outcome.counts.received);
      return outcome;
    }
    PlainPayload payload(send_region_.local(), c.size_bytes);
    return job.split ? run_split(payload, c, job) : run_with(payload, c, job);
  }

  static std::uint64_t posted(const TransportPlan& plan) {
    return plan.rx_depth + Plan::kCreditReserve;
  }
  static EndpointOptions options_of(const TransportPlan& plan) {
    return {plan.tx_depth, posted(plan), plan.max_message_size, plan.inline_limit, plan.path};
  }

  void make_progress() {
    endpoint_.poll(0, [](const Completion&) {});
  }

  void post_all() {
    Waiter waiter(context_.link);
    waiter.set_phase(Phase::open);
    const auto account = [] { return "not all receives can be posted: their queue stays full"; };
    for (Token token = 0; token < ring_.depth; ++token)
      while (endpoint_.post_recv(ring_.slice(token), token) == Post::busy) {
        make_progress();
        waiter.idle(token, account);
      }
  }

  std::uint64_t refill_batch(const Case& c) const {
    const std::uint64_t asked = context_.plan.rx_depth - context_.plan.refill_at;
    return c.test == Test::pingpong ? asked
                                    : std::min(asked, largest_refill_batch(context_.plan.rx_depth));
  }

  template <class Function>
  auto on_clock(const Function& function) {
    return context_.clock.source == ClockSource::tsc ? function(TscClock{}) : function(RawClock{});
  }

  template <class Payload>
  BlockOutcome run_with(Payload& payload, const Case& c, const BlockJob& job) {
    Waiter waiter(context_.link);
    waiter.set_phase(job.warmup ? Phase::warmup : Phase::measure);
    Flow<E, Payload> flow(endpoint_, ring_, spent_, payload, waiter, c.signal_interval);
    flow.start_block();
    BlockOutcome outcome;
    on_clock([&](const auto& clock) {
      const Ticks start = clock.now();
      if (c.test == Test::pingpong)
        run_pingpong(flow, clock, job, outcome);
      else
        run_stream(flow, clock, c, job, outcome);
      outcome.elapsed = clock.now() - start;
    });
    outcome.counts = flow.counts();
    return outcome;
  }

  // The initiator's side of a ping-pong whose calls are stamped.
  BlockOutcome run_split(PlainPayload& payload, const Case& c, const BlockJob& job) {
    Waiter waiter(context_.link);
    waiter.set_phase(Phase::measure);
    BlockOutcome outcome;
    on_clock([&](const auto& clock) {
      using Stamped = StampedEndpoint<E, std::remove_cvref_t<decltype(clock)>>;
      Stamped endpoint(endpoint_, clock);
      Flow<Stamped, PlainPayload> flow(endpoint, ring_, spent_, payload, waiter, c.signal_interval);
      flow.start_block();
      outcome.elapsed = pingpong_batched(flow, clock, job.messages, true);
      outcome.calls = endpoint.ticks();
      flow.drain();
      outcome.counts = flow.counts();
    });
    return outcome;
  }

  template <class F, Clock C>
  void run_pingpong(F& flow, const C& clock, const BlockJob& job, BlockOutcome& outcome) {
    if (context_.role == Role::responder) return pingpong_respond(flow, job.messages);
    if (job.probe_chunk > 0) {
      const auto probes = context_.workspace.probes(job.messages / (2 * job.probe_chunk));
      pingpong_probe(flow, clock, context_.workspace.samples(job.probe_chunk), probes);
      outcome.probes = probes;
      return;
    }
    const auto samples = context_.workspace.samples(job.messages);
    pingpong_initiate(flow, clock, samples);
    outcome.samples = samples;
  }

  template <class F, Clock C>
  void run_stream(F& flow, const C& clock, const Case& c, const BlockJob& job,
                  BlockOutcome& outcome) {
    const bool both = c.test == Test::bistream;
    const bool initiates = context_.role == Role::initiator;
    const auto ticks =
        static_cast<Ticks>(static_cast<double>(job.duration.count()) / context_.clock.ns_per_tick);
    const StreamJob stream_job{.sends = both || initiates,
                               .receives = both || !initiates,
                               .messages = job.messages,
                               .stop_at = clock.now() + ticks,
                               .window = c.window,
                               .granted = context_.plan.rx_depth,
                               .credit_every = credit_every(context_.plan.rx_depth)};
    Checkpoints stamps(context_.workspace.checkpoints());
    stamps.clear();
    stream(flow, clock, stream_job, context_.link, stamps);
    outcome.stamps = stamps.all();
  }

  Device& device_;
  const RunnerContext context_;
  const std::uint64_t stride_;
  Buffer recv_memory_;
  Buffer send_memory_;
  Region recv_region_;
  Region send_region_;
  E endpoint_;  // closed before the regions
  RecvRing ring_;
  std::vector<Token> spent_;
  AddressBlob peer_;
};

// A device behind the interface, for any Device with capabilities(), register_memory() and
// make_endpoint().
template <class Device>
class DeviceOf final : public TransportDevice {
 public:
  explicit DeviceOf(Device device)
      : device_(std::move(device)), capabilities_(device_.capabilities()) {}

  const Capabilities& capabilities() const override { return capabilities_; }
  std::unique_ptr<CaseRunner> make_runner(const RunnerContext& context) override {
    return std::make_unique<RunnerOf<Device>>(device_, context);
  }

 private:
  Device device_;
  Capabilities capabilities_;
};

}  // namespace pairbench
