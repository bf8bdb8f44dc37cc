#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/buffer.h"
#include "base/error.h"
#include "base/units.h"
#include "control/rc_pingpong_exchange.h"
#include "harness/interop.h"
#include "report/figures.h"
#include "stats/samples.h"
#include "transport/verbs/device.h"
#include "workload/payload.h"
#include "workload/pingpong.h"

namespace pairbench {
namespace {

constexpr std::chrono::seconds kPatience{10};
constexpr std::size_t kSendDepth = 16;  // one message is in flight, and a few acknowledgements late

using Say = std::function<void(const std::string&)>;
using PingpongFlow = Flow<verbs::Endpoint, PlainPayload>;

std::size_t require_size(std::uint64_t bytes, const Capabilities& capabilities) {
  if (bytes <= capabilities.max_message_size) return bytes;
  throw Error(
      ExitStatus::failed, Phase::open,
      fmt::format("a message of {} bytes is not possible on {}", bytes, capabilities.opened),
      fmt::format("the device takes up to {}", capabilities.max_message_size), "a smaller --size");
}

// Memory and queue pair of one end, with its receives posted.
class End {
 public:
  End(const RcPingpongRequest& request, const std::atomic<bool>& stop)
      : device_({request.device, request.device_port, request.gid_index, std::nullopt}),
        memory_(2 * require_size(request.size_bytes, device_.capabilities())),
        region_(device_.register_memory(memory_.bytes())),
        endpoint_(
            device_.make_endpoint({kSendDepth, request.rx_depth, request.size_bytes, SIZE_MAX})),
        link_{stop, none_sent_, {}, kPatience},
        waiter_(link_) {
    waiter_.set_phase(Phase::measure);
    const LocalSlice all = region_.local();
    send_ = {all.data, request.size_bytes, all.key};
    ring_ = {{all.data + request.size_bytes, request.size_bytes, all.key},
             request.size_bytes,
             1,
             request.rx_depth,
             1};
    spent_.reserve(request.rx_depth);
    for (Token token = 0; token < request.rx_depth; ++token)
      if (endpoint_.post_recv(ring_.slice(token), token) != Post::accepted)
        throw Error(ExitStatus::failed, Phase::open, "the receive queue is full", "",
                    "a smaller -r");
  }

  verbs::Address address() const { return verbs::from_blob(endpoint_.address()).value(); }
  void connect(const verbs::Address& peer) { endpoint_.connect(verbs::to_blob(peer)); }
  const Capabilities& capabilities() const { return device_.capabilities(); }
  PlainPayload payload() const { return {send_, send_.size}; }
  PingpongFlow flow(PlainPayload& payload) {
    return {endpoint_, ring_, spent_, payload, waiter_, 1};
  }

 private:
  verbs::Device device_;
  Buffer memory_;
  verbs::Region region_;
  verbs::Endpoint endpoint_;
  std::atomic<std::uint64_t> none_sent_{kNotAnnounced};
  Link link_;
  Waiter waiter_;
  LocalSlice send_;
  RecvRing ring_;
  std::vector<Token> spent_;
};

// The other program connects and starts after its own fashion, so the first round trips hold that
// too: none is left out here, as none is there.
Ticks respond_stamped(PingpongFlow& flow, const RawClock& clock, std::span<Ticks> samples) {
  const Ticks start = clock.now();
  Ticks opened = start;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    flow.await_received(i + 1);
    const Ticks now = clock.now();
    samples[i] = now - opened;
    opened = now;
    flow.send(i + 1 == samples.size());
    flow.refill();
  }
  flow.drain();
  return clock.now() - start;
}

std::string address_line(const char* whose, const RcPingpongAddress& a) {
  return fmt::format("  {} address:  LID {:#06x}, QPN {:#08x}, PSN {:#08x}, GID {}", whose, a.lid,
                     a.queue_pair, a.first_packet, verbs::Gid{0, a.gid, verbs::GidType::ib}.text());
}

RcPingpongAddress to_wire_address(const verbs::Address& a) {
  return {a.lid, a.queue_pair, a.first_packet, a.gid};
}

void get_acquainted(End& end, RcPingpongExchange& exchange, int mtu_bytes, const Say& say) {
  const RcPingpongAddress own = to_wire_address(end.address());
  say(address_line("local", own));
  const RcPingpongAddress peer = exchange.is_client() ? exchange.trade(own) : exchange.learn();
  say(address_line("remote", peer));
  end.connect({peer.lid, peer.queue_pair, peer.first_packet, static_cast<std::uint16_t>(mtu_bytes),
               peer.gid});
  if (!exchange.is_client()) exchange.tell(own);
}

// An error of the measurement in the words of this command: no control connection watches the peer,
// and its options have other names.
[[noreturn]] void throw_of_peer(Failure failure, bool stalled, std::uint64_t received,
                                const std::string& peer) {
  if (stalled) {
    failure.message = fmt::format("{} sends nothing more for {} s", peer, kPatience.count());
    failure.cause = fmt::format("{} of its messages have arrived", received);
  } else {
    failure.cause += fmt::format("; the peer is {}", peer);
  }
  failure.hint =
      "look at the other side's own output: it may have ended, or been started with another -n or "
      "-s; or name another GID with -g";
  throw Error(failure);
}

void report(const RcPingpongRequest& request, Ticks elapsed, const QuantileSet& rtt,
            const Say& say) {
  const double seconds = static_cast<double>(elapsed) * 1e-9;
  const double bytes = 2.0 * static_cast<double>(request.size_bytes * request.iterations);
  say(fmt::format("{:.0f} bytes in {:.2f} seconds = {:.2f} Mbit/sec", bytes, seconds,
                  bytes * 8e-6 / seconds));
  say(fmt::format("{} iters in {:.2f} seconds = {:.2f} usec/iter", request.iterations, seconds,
                  seconds * 1e6 / static_cast<double>(request.iterations)));
  const auto us = [](const std::optional<Estimate>& e) { return scaled(value_of(e), kUsPerNs); };
  say(fmt::format("round trip, us: min {} p50 {} p90 {} p99 {} p99.9 {} max {}", us(rtt.min),
                  us(rtt.p50), us(rtt.p90), us(rtt.p99), us(rtt.p99_9), us(rtt.max)));
}

}  // namespace

void rc_pingpong(const RcPingpongRequest& request, const Say& say, const std::atomic<bool>& stop) {
  End end(request, stop);
  say(fmt::format("on {}", end.capabilities().opened));
  RcPingpongExchange exchange(request.host, request.port, stop);
  get_acquainted(end, exchange, request.mtu_bytes, say);

  PlainPayload payload = end.payload();
  PingpongFlow flow = end.flow(payload);
  flow.start_block();
  std::vector<Ticks> durations(request.iterations);
  const RawClock clock;
  Ticks elapsed = clock.now();
  try {
    if (exchange.is_client()) {
      pingpong_initiate(flow, clock, durations);
      elapsed = clock.now() - elapsed;
    } else {
      elapsed = respond_stamped(flow, clock, durations);
    }
  } catch (const LinkInterrupted&) {
    throw Error(ExitStatus::failed, Phase::measure, "interrupted");
  } catch (const Error& error) {
    if (error.failure().status != ExitStatus::peer) throw;
    const bool stalled = dynamic_cast<const Stalled*>(&error) != nullptr;
    throw_of_peer(error.failure(), stalled, flow.counts().received, exchange.peer());
  }
  Samples samples(ClockScale{});
  samples.add(durations);
  report(request, elapsed, samples.digest(), say);
}

}  // namespace pairbench
