// `serve`: waits for initiators and gives each session a process of its own, so that nothing that
// happens in a session takes the server along.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "control/protocol.h"
#include "control/secret.h"
#include "plan/limits.h"

namespace pairbench {

// How long a worker may outlive its peer. A worker that can notices at once; one that hangs inside
// a library or is stopped never does.
inline constexpr std::chrono::seconds kWorkerGrace{10};
// How long a worker may take to end after SIGTERM.
inline constexpr std::chrono::seconds kStopGrace{3};

struct ServeOptions {
  std::string address;                // empty: every IPv6 and IPv4 address
  std::uint16_t port = kDefaultPort;  // 0: any free one
  bool once = false;                  // end after the first session
  const Secret* secret = nullptr;     // what initiators must know; outlives the server

  // The command line of a session's worker, which inherits the connected socket as `descriptor`;
  // knock and proof are over, no frame has been read yet.
  std::function<std::vector<std::string>(int descriptor)> worker_argv;
  // Called once, when connections are accepted: "[::]:18600", 18600.
  std::function<void(const std::string& address, std::uint16_t port)> on_listening;
  // Called when a session's process has ended, however. May be empty.
  std::function<void(int process)> session_ended;
  // One line about what happened, without a newline.
  std::function<void(const std::string& line)> log;

  std::chrono::nanoseconds hello_deadline = kHelloDeadline;
  std::chrono::nanoseconds worker_grace = kWorkerGrace;
  std::chrono::nanoseconds stop_grace = kStopGrace;
  std::chrono::nanoseconds longest_session = limits::kSession;  // then its worker is ended
};

// Serves until INT, TERM or HUP arrives (returns 128 + its number) or, with `once`, until the first
// session has ended (returns the worker's exit status, 1 if it crashed, 5 if it had to be killed
// after its peer was gone). One session at a time; others are told that it is busy. Throws Error
// where it cannot listen (listen_on), and for nothing after that. Uses the process's INT, TERM, HUP
// and CHLD signals.
int serve(const ServeOptions& options);

}  // namespace pairbench
