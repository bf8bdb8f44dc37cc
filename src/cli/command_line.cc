#include "cli/command_line.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "base/resource_limits.h"
#include "cli/commands.h"
#include "cli/interrupts.h"
#include "cli/output.h"
#include "control/channel.h"
#include "harness/host.h"

namespace pairbench {
namespace {

int print_help(const CLI::App& app, const CLI::ParseError& asked, bool json) {
  std::ostringstream text;
  const int status = app.exit(asked, text, text);
  try {
    print_out(text.str());
  } catch (const Error& error) {
    return report_failure(error.failure(), json);
  }
  return status;
}

// Help and version are no errors; whatever else the parser refuses is a usage error.
int report_parse(const CLI::App& app, const CLI::ParseError& error, bool json) {
  if (error.get_exit_code() == 0) return print_help(app, error, json);
  std::string command = "pairbench";
  for (const CLI::App* sub : app.get_subcommands()) command += " " + sub->get_name();
  return report_failure(
      {ExitStatus::usage, Phase::usage, error.what(), "", "", "see: " + command + " --help"}, json);
}

// The parser would take the next word for the value that `--option=` lacks.
void refuse_empty_values(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (word.rfind("--", 0) == 0 && word.back() == '=')
      throw_usage(fmt::format("{}: '' is no value", word.substr(0, word.size() - 1)));
}

int run(CLI::App& app, const std::vector<Command>& commands, const std::vector<std::string>& argv,
        bool json) {
  try {
    refuse_empty_values(argv);
    std::vector<std::string> reversed(argv.rbegin(), argv.rend() - 1);
    app.parse(std::move(reversed));
    for (const Command& command : commands)
      if (command.parser->parsed()) return command.action();
    throw_usage("no command given", "see: pairbench --help");
  } catch (const CLI::ParseError& error) {
    return report_parse(app, error, json);
  } catch (const Error& error) {
    return report_failure(error.failure(), json);
  } catch (const Interrupted& interrupted) {
    const int status = 128 + interrupted.signal_number();
    return report_failure(
        {static_cast<ExitStatus>(status), Phase::measure, "interrupted", "", "", ""}, json);
  } catch (const std::system_error& error) {
    return report_failure(failure_of(error), json);
  } catch (const std::bad_alloc&) {
    return report_failure(out_of_memory(), json);
  } catch (const std::exception& error) {
    return report_failure({ExitStatus::failed, Phase::usage, error.what(), "", "", ""}, json);
  }
}

// Descriptors 0 to 2 that were closed at the start would be given to the next file opened: what is
// meant for the screen must never end up there. Writing to these placeholders fails, as it should.
void occupy_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) < 0) static_cast<void>(open("/dev/null", O_RDONLY));
}

}  // namespace

int run_command_line(int argc, char** argv) {
  occupy_standard_streams();
  take_back_handlers();
  release_interrupts();
  const std::vector<std::string> words(argv, argv + argc);
  const bool json = std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "--json" || word == "--json-stream";
  });

  CLI::App app(
      "How fast is the network between two hosts, over libfabric and over ibverbs, and how sure is "
      "that.",
      "pairbench");
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", "pairbench " + tool_version());
  app.footer(
      "Start `pairbench serve` on one host and `pairbench run HOST -t TRANSPORT` on the other,\n"
      "or measure on this host alone: pairbench local -t libfabric:tcp\n"
      "Exit status: 0 done, 1 failed, 2 usage, 3 regression, 4 no such device, 5 peer, 6 "
      "undecidable.");
  const std::vector<Command> commands = {
      add_devices_command(app),      add_serve_command(app),  add_run_command(app, words),
      add_local_command(app, words), add_hello_command(app),  add_show_command(app),
      add_compare_command(app),      add_report_command(app), add_interop_command(app),
      add_worker_command(app),
  };
  return run(app, commands, words, json);
}

}  // namespace pairbench
