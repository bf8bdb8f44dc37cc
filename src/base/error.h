// How pairbench fails: one exception type that carries everything a person needs to act.
#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

namespace pairbench {

// The process's exit status; docs/command_line.md promises these numbers to scripts.
enum class ExitStatus : int {
  done = 0,         // skipped cases are listed
  failed = 1,       // data or count mismatch, a case failed, write failed, unreadable file
  usage = 2,        // the command line, transport syntax included
  regression = 3,   // a comparison found one
  no_device = 4,    // no such provider or device, on either host
  peer = 5,         // the peer or the protocol failed
  undecidable = 6,  // a verdict was asked for that the data cannot give
};

// Where in a run something happened.
enum class Phase {
  usage,
  device,         // listing and querying devices
  connect,        // the control connection
  hello,          // greeting, version check
  plan,           // deciding and agreeing what to run
  open,           // endpoints, regions, addresses
  first_message,  // the first message on a fresh endpoint, each way
  warmup,
  measure,
  results,  // exchanging and checking counts
  read,     // a stored document
  save,     // writing a document
};

std::string_view to_string(Phase phase);

// Everything known about a failure. Empty fields are unknown. Travels over the control channel and
// into `--json` unchanged.
struct Failure {
  ExitStatus status = ExitStatus::failed;
  Phase phase = Phase::usage;
  std::string message;  // what failed, one line
  std::string host;     // where; empty means this host
  std::string cause;    // the decoded reason
  std::string hint;     // what to try
};

// Somebody else's text where it becomes part of an error: at most so many bytes of it, and how many
// there were, "aaaa... (60000 bytes)". No character of several bytes is cut in two.
inline constexpr std::size_t kLongestEcho = 200;
std::string shortened(std::string_view text, std::size_t most = kLongestEcho);

// A failure that somebody else tells, its fields bounded.
Failure shortened(Failure failure);

// Thrown at set-up and for fatal errors, never for `busy`.
class Error : public std::exception {
 public:
  explicit Error(Failure failure);
  Error(ExitStatus status, Phase phase, std::string message, std::string cause = {},
        std::string hint = {});

  const Failure& failure() const noexcept { return failure_; }
  const char* what() const noexcept override { return failure_.message.c_str(); }

 private:
  Failure failure_;
};

// A usage error: exit 2, phase usage.
[[noreturn]] void throw_usage(std::string message, std::string hint = {});

// "error: HOST: MESSAGE (PHASE)\n  cause:  ...\n  try:    ...\n", as the screen shows it: no line
// for an empty field, further lines of a field aligned below its first, control characters as '?'.
// The phase is left out for usage and device, and where the message itself says "(PHASE".
std::string describe(const Failure& failure);

}  // namespace pairbench
