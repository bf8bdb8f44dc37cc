// The initiator's side of a run: greet, decide, agree, and measure every case of every repeat with
// the peers that answer for its transport.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/channel.h"
#include "control/messages.h"
#include "harness/case_runner.h"
#include "harness/device_registry.h"
#include "report/document.h"

namespace pairbench {

// The other end of some of the transports: a process on either host, or for inproc a thread of this
// one.
struct Peer {
  std::unique_ptr<Channel> channel;
  std::vector<std::size_t> transports;  // indices into Config::transports
  std::optional<std::string> local_ip;  // this host's address of the control connection
};

// Told what happens, on the measuring thread, between measurements.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  // Decided and agreed; nothing is measured yet.
  virtual void agreed(const ResultDocument& document) = 0;
  virtual void repeat_measured(const ResultDocument& document, std::size_t case_index) = 0;
  virtual void case_failed(const ResultDocument& document, std::size_t case_index) = 0;
};

class Run {
 public:
  // Measures into `document`, which at every moment holds all that was measured; its run, config
  // and host belong to the caller. All references outlive the run.
  Run(const Config& config, std::vector<Peer> peers, ResultDocument& document,
      RunObserver& observer, DeviceOpener open = open_device);

  // Throws Error or Interrupted when the run ends early; the peers were told then. An error that
  // concerns one case has marked that case.
  void execute();

 private:
  void session();
  void with_peers(std::size_t first);
  void greet(Peer& peer);
  void decide();
  void agree(Peer& peer);
  void run_repeat(int repeat);
  void open(Peer& peer, int repeat);
  void connect(Peer& peer, const wire::Opened& opened);
  void exchange_first_messages(Peer& peer);
  void close(Peer& peer);
  void measure_case(int repeat, std::size_t position, std::size_t case_index);
  std::chrono::nanoseconds warmup_of(const Case& c);
  Peer& peer_of(std::size_t transport);
  Deadline set_up_deadline() const;

  const Config& config_;
  std::vector<Peer> peers_;
  ResultDocument& document_;
  RunObserver& observer_;
  const DeviceOpener open_;
  ClockCalibration calibration_;
  std::vector<std::byte> token_;
  std::vector<std::unique_ptr<TransportDevice>> devices_;  // by transport
  Plan plan_;
  std::map<const Peer*, std::unique_ptr<Link>> links_;
  Workspace workspace_;
  std::vector<std::unique_ptr<CaseRunner>> runners_;     // by transport, of the present repeat
  std::vector<std::optional<double>> first_message_ns_;  // by transport, until a case takes it
  std::map<std::pair<int, Test>, bool> warm_;            // in the present repeat
};

}  // namespace pairbench
