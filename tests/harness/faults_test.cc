// Whatever an endpoint does wrong ends the run in time: well and with exact counts, or with an
// error that both ends tell.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/cpu.h"
#include "control/inproc_channel.h"
#include "harness/faulty_endpoint.h"
#include "harness/host.h"
#include "harness/responder.h"
#include "harness/run.h"
#include "harness/runner_of.h"
#include "transport/inproc/device.h"

namespace pairbench::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kPeerTimeout = 600ms;
constexpr auto kMargin = 15s;  // for a busy machine, and for the other end's account of an error
constexpr const char* kInitiator = "initiator-host";
constexpr std::uint64_t kIterations = 10;
constexpr std::size_t kAllRepeats = 4;  // two of each size

enum class When { early, middle };

using Scene = std::tuple<pairbench::Test, Fault, Role, When>;

// How the two ends of a session ended; nullopt: well.
struct Ending {
  std::optional<Failure> initiator;
  std::optional<Failure> responder;
  ResultDocument document;
  std::chrono::steady_clock::duration took;
};

// Arms the script once something was measured.
class ArmingObserver : public RunObserver {
 public:
  explicit ArmingObserver(Script& script) : script_(script) {}
  void agreed(const ResultDocument& /*document*/) override {}
  void repeat_measured(const ResultDocument& /*document*/, std::size_t /*index*/) override {
    script_.arm();
  }
  void case_failed(const ResultDocument& /*document*/, std::size_t /*index*/) override {}

 private:
  Script& script_;
};

template <class Session>
std::optional<Failure> failure_of(const Session& session) {
  try {
    session();
    return std::nullopt;
  } catch (const Error& error) {
    return error.failure();
  }
}

// The run pins its thread; the tests after it are not to suffer.
class FaultySession : public ::testing::Test {
 protected:
  ~FaultySession() override { set_allowed_cpus(cpus_); }

  static DeviceOpener opener(Script& script) {
    return [&script](const TransportSpec&, Role, const std::optional<std::string>&) {
      return std::make_unique<DeviceOf<FaultyDevice<inproc::Device>>>(
          FaultyDevice(inproc::Device{}, script));
    };
  }

  Ending run_session(const Config& config, Script& script, Role faulty) {
    Ending ending;
    Script sound(Fault::none);
    ending.document.initiator_host = describe_this_host();
    ending.document.initiator_host.hostname = kInitiator;
    auto [initiator_end, responder_end] = make_inproc_channels("initiator", "responder");
    std::thread responder([&, channel = std::move(responder_end)]() mutable {
      ResponderOptions options;
      options.open = opener(faulty == Role::responder ? script : sound);
      ending.responder = failure_of([&] { respond(*channel, options); });
      channel.reset();
    });
    ArmingObserver observer(script);
    std::vector<Peer> peers;
    peers.push_back({std::move(initiator_end), {0}, std::nullopt});
    const auto start = std::chrono::steady_clock::now();
    ending.initiator = failure_of([&] {
      pairbench::Run(config, std::move(peers), ending.document, observer,
                     opener(faulty == Role::initiator ? script : sound))
          .execute();
    });
    responder.join();
    ending.took = std::chrono::steady_clock::now() - start;
    return ending;
  }

  const std::vector<int> cpus_ = allowed_cpus();
};

Config config_of(pairbench::Test test) {
  Config config;
  config.transports = {parse_transport("inproc")};
  config.tests = {{test}};
  config.sizes = {{64, 4096}};
  config.iterations = kIterations;
  config.warmup_iterations = 0;
  config.repeats = 2;
  config.rx_depth = 4;  // a credit for every message
  config.window = 4;
  config.completion = CompletionMode::event;
  config.peer_timeout = kPeerTimeout;
  return config;
}

bool is_harmless(Fault fault) {
  return fault == Fault::busy_for_a_while || fault == Fault::reordered || fault == Fault::late;
}

std::size_t repeats_kept(const ResultDocument& document) {
  std::size_t kept = 0;
  for (const CaseResult& result : document.cases) kept += result.repeats.size();
  return kept;
}

void expect_exact_counts(const ResultDocument& document, pairbench::Test test) {
  for (const CaseResult& result : document.cases)
    for (const RepeatResult& repeat : result.repeats) {
      const EndCounters& here = repeat.initiator;
      const EndCounters& there = repeat.responder;
      EXPECT_EQ(here.messages_sent, there.messages_received);
      EXPECT_EQ(there.messages_sent, here.messages_received);
      EXPECT_EQ(here.bytes_sent, here.messages_sent * result.plan.size_bytes);
      EXPECT_EQ(here.bytes_sent, there.bytes_received);
      EXPECT_EQ(there.bytes_sent, here.bytes_received);
      EXPECT_EQ(repeat.messages, (test == pairbench::Test::bistream ? 2 : 1) * kIterations);
    }
}

void expect_decoded(const Failure& failure) {
  EXPECT_TRUE(failure.status == ExitStatus::failed || failure.status == ExitStatus::peer);
  EXPECT_GE(failure.phase, Phase::open) << failure.message;
  EXPECT_LE(failure.phase, Phase::results) << failure.message;
  EXPECT_NE(failure.message, "");
  EXPECT_NE(failure.cause, "") << failure.message;
  EXPECT_NE(failure.hint, "") << failure.message;
}

// Both ends tell the same story: whoever noticed it has told the other.
void expect_errors(const Ending& ending) {
  ASSERT_TRUE(ending.initiator);
  ASSERT_TRUE(ending.responder);
  expect_decoded(*ending.initiator);
  expect_decoded(*ending.responder);
  const std::string responder_host = ending.document.responder_host->hostname;
  EXPECT_TRUE(ending.initiator->host == responder_host || ending.responder->host == kInitiator)
      << describe(*ending.initiator) << describe(*ending.responder);
}

class Faults : public FaultySession, public ::testing::WithParamInterface<Scene> {};

TEST_P(Faults, EndTheRunInTimeAndKeepWhatWasMeasured) {
  const auto [test, fault, end, when] = GetParam();
  Script script(fault, when == When::early ? 1 : 5);
  if (when == When::early) script.arm();
  Config config = config_of(test);
  if (is_harmless(fault)) config.peer_timeout = kMargin;
  const Ending ending = run_session(config, script, end);
  EXPECT_TRUE(script.struck());
  EXPECT_LT(ending.took, kPeerTimeout + kMargin);
  expect_exact_counts(ending.document, test);
  if (!is_harmless(fault)) {
    expect_errors(ending);
    EXPECT_EQ(repeats_kept(ending.document) > 0, when == When::middle);
    EXPECT_LT(repeats_kept(ending.document), kAllRepeats);
    return;
  }
  EXPECT_FALSE(ending.initiator) << describe(*ending.initiator);
  EXPECT_FALSE(ending.responder) << describe(*ending.responder);
  EXPECT_EQ(repeats_kept(ending.document), kAllRepeats);
}

// The end that fails says what, the other says who.
TEST_F(FaultySession, IsToldByNameAndMarksItsCase) {
  for (const Role end : {Role::initiator, Role::responder}) {
    Script script(Fault::completion_error, 5);
    const Ending ending = run_session(config_of(pairbench::Test::pingpong), script, end);
    ASSERT_TRUE(ending.initiator);
    ASSERT_TRUE(ending.responder);
    const bool here = end == Role::initiator;
    EXPECT_EQ(ending.initiator->host, here ? "" : ending.document.responder_host->hostname);
    EXPECT_EQ(ending.responder->host, here ? kInitiator : "");
    for (const auto& failure : {*ending.initiator, *ending.responder}) {
      EXPECT_EQ(failure.message, "a completion failed (measure, inproc)");
      EXPECT_EQ(failure.status, ExitStatus::failed);
      EXPECT_EQ(failure.phase, Phase::measure);
      EXPECT_EQ(failure.cause, "a made-up error");
      EXPECT_EQ(failure.hint, "disarm the script");
    }
    std::size_t failed = 0;
    for (const CaseResult& result : ending.document.cases)
      if (result.status == CaseStatus::failed) {
        ++failed;
        EXPECT_EQ(result.reason, ending.initiator->message);
      }
    EXPECT_EQ(failed, 1u);
  }
}

constexpr std::array kFaults = {
    std::pair{Fault::busy_for_a_while, "BusyForAWhile"},
    std::pair{Fault::busy_for_ever, "BusyForEver"},
    std::pair{Fault::completion_error, "CompletionError"},
    std::pair{Fault::lost_send_completion, "LostSendCompletion"},
    std::pair{Fault::lost_receive, "LostReceive"},
    std::pair{Fault::doubled_send_completion, "DoubledSendCompletion"},
    std::pair{Fault::doubled_receive, "DoubledReceive"},
    std::pair{Fault::unknown_receive, "UnknownReceive"},
    std::pair{Fault::reordered, "Reordered"},
    std::pair{Fault::late, "Late"},
    std::pair{Fault::lost_message, "LostMessage"},
    std::pair{Fault::doubled_message, "DoubledMessage"},
    std::pair{Fault::short_receive, "ShortReceive"},
};

std::string name_of(const ::testing::TestParamInfo<Scene>& info) {
  const auto [test, fault, end, when] = info.param;
  const auto* named =
      std::find_if(kFaults.begin(), kFaults.end(),
                   [wanted = fault](const auto& entry) { return entry.first == wanted; });
  return fmt::format("{}_{}_{}_{}", to_string(test), named->second,
                     end == Role::initiator ? "Initiator" : "Responder",
                     when == When::early ? "Early" : "Middle");
}

// The sender of a stream receives empty credits alone, once its first message is answered.
bool is_possible(const Scene& scene) {
  return scene !=
         Scene{pairbench::Test::stream, Fault::short_receive, Role::initiator, When::middle};
}

std::vector<Scene> scenes() {
  using pairbench::Test;
  std::vector<Scene> all;
  for (const Test test : {Test::pingpong, Test::stream, Test::bistream})
    for (const auto& [fault, name] : kFaults)
      for (const Role end : {Role::initiator, Role::responder})
        for (const When when : {When::early, When::middle})
          if (const Scene scene{test, fault, end, when}; is_possible(scene)) all.push_back(scene);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Each, Faults, ::testing::ValuesIn(scenes()), name_of);

}  // namespace
}  // namespace pairbench::testing
