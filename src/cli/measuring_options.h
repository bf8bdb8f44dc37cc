// The options of `run` and `local`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "plan/config.h"

namespace pairbench {

enum class Progress { automatic, always, never };

struct MeasuringArguments {
  Config config;
  std::vector<std::string> transports;  // as typed
  std::optional<std::string> device;    // perftest's -d
  std::optional<int> gid_index;         // perftest's -x
  std::optional<std::string> out;
  bool plan_only = false;
  bool save = true;
  bool json = false;
  bool json_stream = false;
  bool force = false;
  bool quiet = false;
  bool verbose = false;
  Progress progress = Progress::automatic;

  // Standard output is read by a program: no table there.
  bool for_programs() const { return json || json_stream; }
};

void add_measuring_options(CLI::App& sub, MeasuringArguments& arguments);

// What the parser could not settle word by word: transports, perftest's devices. Throws a usage
// Error.
void settle(MeasuringArguments& arguments);

}  // namespace pairbench
