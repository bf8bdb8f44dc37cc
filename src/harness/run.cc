#include "harness/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/cpu.h"
#include "harness/case_measurement.h"
#include "harness/disturbances.h"
#include "harness/host.h"
#include "harness/ids.h"
#include "harness/leftovers.h"
#include "harness/session.h"
#include "workload/first_message.h"

namespace pairbench {
namespace {

using namespace std::chrono_literals;

// Near the NIC of the first transport that has one.
EndCpus cpus_of(const HostFacts& host, const std::vector<PairFacts>& pairs,
                std::optional<Capabilities> PairFacts::*end) {
  EndCpus cpus;
  if (host.cpus_allowed) cpus.allowed = parse_cpu_list(*host.cpus_allowed);
  for (const PairFacts& pair : pairs) {
    const int node = (pair.*end)->numa_node.value_or(-1);
    if (node < 0 || !host.numa_cpus) continue;
    const auto found = host.numa_cpus->find(std::to_string(node));
    if (found == host.numa_cpus->end()) continue;
    std::ranges::set_intersection(cpus.allowed, parse_cpu_list(found->second),
                                  std::back_inserter(cpus.near_nic));
    break;
  }
  return cpus;
}

// What one block of a ping-pong may take, by the fastest round trip that is to be expected.
std::size_t most_samples(const Plan& plan) {
  constexpr auto kFastest = 100ns;
  std::uint64_t most = 1;
  for (const Case& c : plan.cases)
    if (c.runs() && c.test == Test::pingpong)
      most =
          std::max(most, c.iterations.value_or(static_cast<std::uint64_t>(c.duration / kFastest)));
  return std::min(most, Plan::kMaxBlock) + CaseMeasurement::kLeadIn;
}

}  // namespace

Run::Run(const Config& config, std::vector<Peer> peers, ResultDocument& document,
         RunObserver& observer, DeviceOpener open)
    : config_(config),
      peers_(std::move(peers)),
      document_(document),
      observer_(observer),
      open_(std::move(open)),
      calibration_(config.clock),
      token_(random_bytes(kMinFirstMessage)),
      devices_(config.transports.size()) {}

void Run::execute() {
  with_peers(0);
}

// Whatever ends the run early is told to every peer.
void Run::with_peers(std::size_t first) {
  if (first == peers_.size()) return session();
  telling_the_peer(*peers_[first].channel, [&] { with_peers(first + 1); });
}

void Run::session() {
  document_.clock = calibration_.scale();
  document_.transports.resize(config_.transports.size());
  for (Peer& peer : peers_) greet(peer);
  decide();
  if (plan_.initiator_cpu) pin_to_cpu(*plan_.initiator_cpu);
  workspace_.samples(most_samples(plan_));  // its page faults are none of a measurement's
  document_.samples_locked = workspace_.samples_locked();
  for (Peer& peer : peers_) agree(peer);
  observer_.agreed(document_);
  const bool anything =
      std::any_of(plan_.cases.begin(), plan_.cases.end(), [](const Case& c) { return c.runs(); });
  for (int repeat = 0; anything && repeat < plan_.repeats; ++repeat) run_repeat(repeat);
  for (Peer& peer : peers_) peer.channel->send(to_message(wire::Finish{}));
  calibration_.refine();
  document_.clock = calibration_.scale();
}

void Run::greet(Peer& peer) {
  wire::Hello hello{tool_version(), document_.initiator_host, {}, to_hex(token_), getpid()};
  for (const std::size_t t : peer.transports) hello.transports.push_back(config_.transports[t]);
  peer.channel->set_peer_timeout(config_.peer_timeout);
  peer.channel->send(to_message(hello));  // first: strangers are given little time to say it
  for (const std::size_t t : peer.transports)
    devices_[t] = open_(config_.transports[t], Role::initiator, peer.local_ip);
  const auto reply =
      from_message<wire::HelloReply>(peer.channel->receive(Phase::hello, set_up_deadline()));
  peer.channel->set_peer_name(reply.host.hostname);
  remember_peer_process(document_.initiator_host, reply.host, reply.process);
  if (reply.capabilities.size() != peer.transports.size())
    throw ProtocolError(Phase::hello,
                        fmt::format("the peer answered for {} of {} transports",
                                    reply.capabilities.size(), peer.transports.size()));
  document_.responder_host = reply.host;
  document_.responder_clock = reply.clock;
  for (std::size_t i = 0; i < peer.transports.size(); ++i) {
    const std::size_t t = peer.transports[i];
    if (const auto* failure = std::get_if<Failure>(&reply.capabilities[i])) {
      Failure there = *failure;
      there.host = shortened(reply.host.hostname);
      throw Error(there);
    }
    TransportResult& result = document_.transports[t];
    result.initiator = devices_[t]->capabilities();
    result.responder = std::get<Capabilities>(reply.capabilities[i]);
    result.one_host = same_host(document_.initiator_host, reply.host);
  }
}

void Run::decide() {
  std::vector<PairFacts> pairs;
  for (const TransportResult& t : document_.transports)
    pairs.push_back({t.initiator, t.responder, t.one_host});
  const bool one_host =
      std::any_of(pairs.begin(), pairs.end(), [](const PairFacts& p) { return p.one_host; });
  const Placement placement =
      place(config_, cpus_of(document_.initiator_host, pairs, &PairFacts::initiator),
            cpus_of(*document_.responder_host, pairs, &PairFacts::responder), one_host);
  plan_ = make_plan(config_, pairs, placement);
  document_.repeats = plan_.repeats;
  document_.adjustments = plan_.adjustments;
  document_.pinned_cpu = plan_.initiator_cpu;
  document_.responder_pinned_cpu = plan_.responder_cpu;
  for (std::size_t t = 0; t < plan_.transports.size(); ++t)
    document_.transports[t].plan = plan_.transports[t];
  document_.cases.clear();
  for (const Case& c : plan_.cases) {
    CaseResult result;
    result.plan = c;
    if (c.skipped) {
      result.status = CaseStatus::skipped;
      result.reason = *c.skipped;
    }
    document_.cases.push_back(std::move(result));
  }
}

void Run::agree(Peer& peer) {
  peer.channel->send(to_message(wire::PlanOffer{plan_}));
  document_.detours = look_for_detours(plan_, calibration_.scale());  // both ends at once
  const auto accepted =
      from_message<wire::PlanAccepted>(peer.channel->receive(Phase::plan, set_up_deadline()));
  document_.responder_detours = accepted.detours;
  if (accepted.clock) document_.responder_clock = accepted.clock;
  links_[&peer] = std::make_unique<Link>(make_link(*peer.channel, plan_));
}

Deadline Run::set_up_deadline() const {
  return Deadline::after(time_to_set_up(config_.peer_timeout));
}

Peer& Run::peer_of(std::size_t transport) {
  return *std::find_if(peers_.begin(), peers_.end(), [&](const Peer& peer) {
    return std::find(peer.transports.begin(), peer.transports.end(), transport) !=
           peer.transports.end();
  });
}

void Run::run_repeat(int repeat) {
  runners_.clear();
  runners_.resize(plan_.transports.size());
  first_message_ns_.assign(plan_.transports.size(), std::nullopt);
  warm_.clear();
  for (Peer& peer : peers_) open(peer, repeat);
  const auto order = case_order(plan_, repeat);
  for (std::size_t position = 0; position < order.size(); ++position)
    measure_case(repeat, position, order[position]);
  for (Peer& peer : peers_) close(peer);
}

void Run::open(Peer& peer, int repeat) {
  wire::Open open{repeat, {}};
  for (const std::size_t t : peer.transports) {
    const TransportPlan& transport = plan_.transports[t];
    in_context(Phase::open, transport, [&] {
      runners_[t] = devices_[t]->make_runner(
          {Role::initiator, transport, calibration_.scale(), *links_[&peer], workspace_});
      open.addresses.push_back({static_cast<int>(t), runners_[t]->address()});
    });
  }
  peer.channel->send(to_message(open));
  const auto opened =
      from_message<wire::Opened>(peer.channel->receive(Phase::open, set_up_deadline()));
  connect(peer, opened);
  exchange_first_messages(peer);
}

// Each of the peer's transports once, and no other.
void Run::connect(Peer& peer, const wire::Opened& opened) {
  std::set<std::size_t> missing(peer.transports.begin(), peer.transports.end());
  for (const auto& remote : opened.addresses) {
    const auto t = static_cast<std::size_t>(remote.transport);
    if (missing.erase(t) == 0)
      throw ProtocolError(Phase::open,
                          "the peer broke the protocol: it opened a transport that is not its own");
    in_context(Phase::open, plan_.transports[t], [&] { runners_[t]->connect(remote.address); });
  }
  if (!missing.empty())
    throw ProtocolError(Phase::open, fmt::format("the peer did not open {}",
                                                 plan_.transports[*missing.begin()].spec.label));
}

void Run::exchange_first_messages(Peer& peer) {
  for (const std::size_t t : peer.transports) {
    const Ticks ticks = in_context(Phase::first_message, plan_.transports[t],
                                   [&] { return runners_[t]->first_message(token_); });
    first_message_ns_[t] = calibration_.scale().to_ns(ticks);
  }
}

// The responder closes first, then this end: nobody sends to an endpoint that is gone.
void Run::close(Peer& peer) {
  peer.channel->send(to_message(wire::CloseRepeat{}));
  from_message<wire::Closed>(peer.channel->receive(Phase::results, set_up_deadline()));
  for (const std::size_t t : peer.transports) runners_[t].reset();
}

std::chrono::nanoseconds Run::warmup_of(const Case& c) {
  bool& warm = warm_[{c.transport, c.test}];
  return std::exchange(warm, true) ? c.rewarm : c.warmup;
}

void Run::measure_case(int repeat, std::size_t position, std::size_t case_index) {
  CaseResult& result = document_.cases[case_index];
  const Case& c = plan_.cases[case_index];
  const auto t = static_cast<std::size_t>(c.transport);
  try {
    Peer& peer = peer_of(t);
    CaseMeasurement measurement(*peer.channel, *runners_[t], plan_.transports[t], c,
                                calibration_.scale(), warmup_of(c),
                                adapter_of(devices_[t]->capabilities()), *links_.at(&peer));
    RepeatResult measured =
        with_the_cause(*peer.channel, [&] { return measurement.run(repeat, case_index); });
    measured.position = position;
    measured.first_message_ns = std::exchange(first_message_ns_[t], std::nullopt);
    result.repeats.push_back(std::move(measured));
  } catch (const Error& error) {
    result.status = CaseStatus::failed;
    result.reason = error.what();
    observer_.case_failed(document_, case_index);
    throw;
  }
  result.status = CaseStatus::ok;
  summarize(result);
  observer_.repeat_measured(document_, case_index);
}

}  // namespace pairbench
