// One function per command: adds it to the parser and returns what runs it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <vector>

namespace pairbench {

// Returns the exit status; throws Error or Interrupted.
using Action = std::function<int()>;

struct Command {
  CLI::App* parser;
  Action action;
};

Command add_devices_command(CLI::App& app);
Command add_serve_command(CLI::App& app);
Command add_worker_command(CLI::App& app);  // what serve starts for each session; not for people
Command add_run_command(CLI::App& app, const std::vector<std::string>& argv);
Command add_local_command(CLI::App& app, const std::vector<std::string>& argv);
Command add_hello_command(CLI::App& app);
Command add_show_command(CLI::App& app);
Command add_compare_command(CLI::App& app);
Command add_report_command(CLI::App& app);
Command add_interop_command(CLI::App& app);

}  // namespace pairbench
