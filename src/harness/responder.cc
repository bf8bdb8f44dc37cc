#include "harness/responder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/cpu.h"
#include "base/units.h"
#include "control/messages.h"
#include "control/protocol.h"
#include "harness/disturbances.h"
#include "harness/host.h"
#include "harness/ids.h"
#include "harness/leftovers.h"
#include "harness/session.h"
#include "harness/stream_interval.h"
#include "plan/costs.h"
#include "plan/limits.h"
#include "workload/first_message.h"

namespace pairbench {
namespace {

// The initiator may be greeting another peer before it can decide.
constexpr std::chrono::seconds kPlanDeadline{120};

class Responder {
 public:
  Responder(Channel& channel, const ResponderOptions& options)
      : channel_(channel), options_(options), calibration_(ClockChoice::automatic) {}

  void serve() {
    greet();
    agree();
    for (;;) {
      const Message message = channel_.receive(phase_, idle_deadline(), [this] { progress(); });
      if (message.type == wire::Finish::kType) return;
      obey(message);
    }
  }

 private:
  void greet() {
    const auto hello =
        from_message<wire::Hello>(channel_.receive(Phase::hello, Deadline::after(kHelloDeadline)));
    channel_.set_peer_name(hello.host.hostname);
    token_ = from_hex(hello.token);
    if (token_.size() != kMinFirstMessage)
      throw ProtocolError(Phase::hello, "the peer's token has the wrong length");
    require_lawful(hello.transports);
    require_memory(Phase::hello, "as many transports need at least",
                   least_memory(hello.transports));
    wire::HelloReply reply{
        tool_version(), describe_this_host(), calibration_.scale(), getpid(), {}};
    remember_peer_process(reply.host, hello.host, hello.process);
    for (const TransportSpec& spec : hello.transports) reply.capabilities.push_back(open(spec));
    channel_.send(to_message(reply));
  }

  void require_memory(Phase phase, const char* what, std::uint64_t needed) const {
    if (needed <= options_.max_memory) return;
    throw Error(ExitStatus::peer, phase,
                fmt::format("{} {} bytes of memory, this server allows {}", what, needed,
                            options_.max_memory),
                "",
                "measure smaller sizes or fewer transports, or start the server with a larger "
                "--max-memory");
  }

  std::variant<Capabilities, Failure> open(const TransportSpec& spec) {
    try {
      auto device = options_.open(spec, Role::responder, options_.local_ip);
      Capabilities capabilities = device->capabilities();
      devices_.insert_or_assign(spec.label, std::move(device));
      return capabilities;
    } catch (const Error& error) {
      return error.failure();
    }
  }

  void agree() {
    plan_ =
        from_message<wire::PlanOffer>(channel_.receive(Phase::plan, Deadline::after(kPlanDeadline)))
            .plan;
    require_lawful(plan_);
    require_memory(Phase::plan, "the plan needs", memory_needed(plan_));
    channel_.set_peer_timeout(plan_.peer_timeout);
    if (plan_.clock != ClockChoice::automatic) calibration_ = ClockCalibration(plan_.clock);
    if (plan_.responder_cpu) pin_to_cpu(*plan_.responder_cpu);
    link_ = std::make_unique<Link>(make_link(channel_, plan_));
    if (options_.accepted) options_.accepted(plan_);
    const ClockScale& clock = calibration_.scale();
    channel_.send(to_message(wire::PlanAccepted{look_for_detours(plan_, clock), clock}));
  }

  void obey(const Message& message) {
    require_quiet();
    if (message.type == wire::Open::kType)
      open_repeat(from_message<wire::Open>(message));
    else if (message.type == wire::StartCase::kType)
      start_case(from_message<wire::StartCase>(message));
    else if (message.type == wire::Block::kType)
      run_block(from_message<wire::Block>(message));
    else if (message.type == wire::EndCase::kType)
      end_case();
    else if (message.type == wire::CloseRepeat::kType)
      close_repeat();
    else
      broken(fmt::format("'{}' is not due", shortened(message.type)));
  }

  [[noreturn]] void broken(const std::string& how) const {
    throw ProtocolError(phase_, "the peer broke the protocol: " + how);
  }

  const TransportPlan& planned(int transport) const {
    return plan_.transports[static_cast<std::size_t>(transport)];
  }

  template <class Function>
  void for_each_runner(Phase phase, const Function& function) {
    for (const auto& [transport, runner] : runners_)
      in_context(phase, planned(transport), [&function, &runner = *runner] { function(runner); });
  }

  // Of a transport that is to be opened.
  TransportDevice& device_of(int transport) const {
    const auto t = static_cast<std::size_t>(transport);
    if (transport < 0 || t >= plan_.transports.size() || runners_.contains(transport))
      broken("it opens a transport twice, or one that is not planned");
    const auto found = devices_.find(plan_.transports[t].spec.label);
    if (found == devices_.end()) broken("it opens a transport that it did not greet with");
    return *found->second;
  }

  void open_repeat(const wire::Open& open) {
    phase_ = Phase::open;
    runners_.clear();
    case_ = nullptr;
    wire::Opened opened;
    for (const auto& remote : open.addresses) {
      TransportDevice& device = device_of(remote.transport);
      const TransportPlan& transport = planned(remote.transport);
      auto runner = in_context(Phase::open, transport, [&] {
        auto made = device.make_runner(
            {Role::responder, transport, calibration_.scale(), *link_, workspace_});
        made->connect(remote.address);
        return made;
      });
      opened.addresses.push_back({remote.transport, runner->address()});
      runners_.emplace(remote.transport, std::move(runner));
    }
    channel_.send(to_message(opened));
    phase_ = Phase::first_message;
    for_each_runner(Phase::first_message,
                    [this](CaseRunner& runner) { runner.first_message(token_); });
    phase_ = Phase::measure;
  }

  void start_case(const wire::StartCase& start) {
    if (start.case_index >= plan_.cases.size() || !plan_.cases[start.case_index].runs())
      broken("it starts a case that is not to run");
    case_ = &plan_.cases[start.case_index];
    counters_ = EndCounters{};
    if (!runners_.contains(case_->transport))
      broken("it started a case before opening its transport");
    at_start_ = MachineState::now(adapter());
    channel_.send(to_message(wire::Ready{}));
  }

  void end_case() {
    if (!case_) broken("it ended no case");
    add_changes(counters_, at_start_, MachineState::now(adapter()));
    channel_.send(to_message(wire::CaseReport{counters_}));
  }

  // Of the transport of the case that runs.
  std::string adapter() const {
    return adapter_of(devices_.at(planned(case_->transport).spec.label)->capabilities());
  }

  void run_block(const wire::Block& block) {
    if (!case_) broken("a block without a case");
    if (block.messages > limits::kMessages)
      broken(fmt::format("a block of {} messages, the limit is {}", block.messages,
                         limits::kMessages));
    const TransportPlan& transport = planned(case_->transport);
    CaseRunner& runner = *runners_.at(case_->transport);
    channel_.reset_peer_sent();
    channel_.send(to_message(wire::Ready{}));
    const ThreadUsage before = ThreadUsage::now();
    const BlockOutcome outcome =
        in_context(block.warmup ? Phase::warmup : Phase::measure, transport, [&] {
          const TimedBlock timed(*link_, *case_, block.messages);
          return runner.run_block(*case_, {block.messages, stream_time(*case_), block.warmup});
        });
    if (!block.warmup) add_usage(counters_, before, ThreadUsage::now());
    add_counts(counters_, outcome.counts, *case_);
    const StreamInterval interval =
        stream_interval(*case_, outcome.stamps, outcome.counts.received, calibration_.scale());
    channel_.send(to_message(wire::BlockResult{outcome.counts.posted, outcome.counts.received,
                                               outcome.counts.posted * case_->size_bytes,
                                               outcome.counts.received_bytes, interval.messages,
                                               interval.bytes, interval.ns, interval.steady}));
  }

  void close_repeat() {
    runners_.clear();
    case_ = nullptr;
    channel_.send(to_message(wire::Closed{}));
  }

  // The initiator says something only between blocks.
  void require_quiet() {
    for_each_runner(Phase::results, [](CaseRunner& runner) { runner.require_quiet(); });
  }

  void progress() {
    for (auto& [transport, runner] : runners_) runner->progress();
  }

  // Between two messages the initiator digests and saves, and may be measuring another transport
  // with another peer: that takes as long as it is planned to take, by a wide margin. No session
  // lasts longer than the limit.
  Deadline idle_deadline() const {
    constexpr int kMargin = 10;
    const bool alone = std::ranges::all_of(
        plan_.transports,
        [this](const TransportPlan& transport) { return devices_.contains(transport.spec.label); });
    const auto elsewhere = std::clamp<std::chrono::nanoseconds>(
        plan_.estimated_time, std::chrono::nanoseconds(0), limits::kSession);
    const auto idle = Deadline::after(time_to_set_up(plan_.peer_timeout) +
                                      (alone ? std::chrono::nanoseconds(0) : kMargin * elsewhere));
    return idle.when() < end_.when() ? idle : end_;
  }

  Channel& channel_;
  const ResponderOptions& options_;
  const Deadline end_ = Deadline::after(limits::kSession);
  ClockCalibration calibration_;
  std::vector<std::byte> token_;
  std::map<std::string, std::unique_ptr<TransportDevice>> devices_;
  Plan plan_;
  std::unique_ptr<Link> link_;
  Workspace workspace_;
  std::map<int, std::unique_ptr<CaseRunner>> runners_;
  const Case* case_ = nullptr;
  MachineState at_start_;
  EndCounters counters_;
  Phase phase_ = Phase::plan;
};

}  // namespace

void respond(Channel& channel, const ResponderOptions& options) {
  // Its endpoints stay until the peer is told: it would see them go first, and take that for the
  // cause; and a provider may take seconds to close what is stuck.
  std::optional<Responder> responder;
  telling_the_peer(channel, [&] { responder.emplace(channel, options).serve(); });
}

}  // namespace pairbench
