#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "base/printable.h"
#include "base/units.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/interrupts.h"
#include "cli/output.h"
#include "cli/plan_view.h"
#include "control/endpoint_name.h"
#include "control/secret.h"
#include "control/supervisor.h"
#include "control/tcp_channel.h"
#include "harness/host.h"
#include "harness/leftovers.h"
#include "harness/responder.h"
#include "plan/limits.h"
#include "report/figures.h"

namespace pairbench {
namespace {

struct ServeArguments {
  std::string bind;
  std::uint16_t port = kDefaultPort;
  bool once = false;
  bool quiet = false;
  std::uint64_t max_memory = std::uint64_t{4} << 30;
  std::optional<std::string> secret_file;
};

bool is_loopback(const std::string& address) {
  return address == "localhost" || address == "::1" || address.rfind("127.", 0) == 0;
}

// The line to paste on the other host: this host's name where the server listens on every address.
std::string client_command(const ServeArguments& arguments, std::uint16_t port) {
  EndpointName name{arguments.bind.empty() ? read_host_facts().hostname : arguments.bind, port};
  return fmt::format("pairbench run {} -t libfabric:tcp{}",
                     port == kDefaultPort ? name.host : to_string(name),
                     arguments.secret_file ? " --secret-file FILE" : "");
}

void announce(const ServeArguments& arguments, const std::string& address, std::uint16_t port) {
  fmt::print("listening on {}\n", address);
  if (!arguments.quiet) fmt::print("on the other host: {}\n", client_command(arguments, port));
  std::fflush(stdout);
  if (!arguments.quiet && !is_loopback(arguments.bind) && !arguments.secret_file)
    print_err(
        "warning: anyone who reaches this port can start measurements here; ask for a secret "
        "(--secret-file FILE), bind to a private address (--bind ADDR), or stop the server when "
        "done\n");
}

int run_serve(const ServeArguments& arguments) {
  // Whoever reads the log may go; the server, and the sessions that inherit this, serve on.
  std::signal(SIGPIPE, SIG_IGN);
  std::optional<Secret> secret;
  if (arguments.secret_file) secret.emplace(Secret::from_file(*arguments.secret_file));
  ServeOptions options;
  if (secret) options.secret = &*secret;
  options.address = arguments.bind;
  options.port = arguments.port;
  options.once = arguments.once;
  options.worker_argv = [&](int descriptor) {
    std::vector<std::string> argv = {"/proc/self/exe", "worker", fmt::format("--fd={}", descriptor),
                                     fmt::format("--max-memory={}", arguments.max_memory)};
    if (arguments.quiet) argv.emplace_back("-q");
    return argv;
  };
  options.on_listening = [&](const std::string& address, std::uint16_t port) {
    announce(arguments, address, port);
  };
  options.log = [](const std::string& line) { print_err(fmt::format("{}\n", line)); };
  options.session_ended = remove_leftovers_of;
  return serve(options);
}

std::string limits_text() {
  return fmt::format(
      "At most, whatever a client asks for: {} transports, {} cases, {} repeats, messages of {},\n"
      "{} messages a case, {} receives and sends in flight, {} a session,\n"
      "a peer timeout of {}; {} at the door for {} each; control messages of {}, the first of {}.",
      limits::kTransports, limits::kCases, limits::kRepeats, format_size(limits::kMessageSize),
      limits::kMessages, limits::kDepth, format_duration(limits::kSession),
      format_duration(limits::kPeerTimeout), kMaxVisitors, format_duration(kHelloDeadline),
      format_size(kMaxFrame), format_size(kMaxHelloFrame));
}

struct WorkerArguments {
  int descriptor = -1;
  std::uint64_t max_memory = 0;
  bool quiet = false;
};

std::optional<std::string> local_ip(int socket) {
  try {
    return parse_endpoint_name(local_address(socket)).host;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void say(const WorkerArguments& arguments, const std::string& line) {
  if (arguments.quiet) return;
  fmt::print("{}\n", printable(line));
  std::fflush(stdout);
}

std::string summary_of(const Plan& plan) {
  std::string transports;
  for (const TransportPlan& transport : plan.transports)
    transports += (transports.empty() ? "" : ", ") + transport.spec.label;
  return fmt::format("{}: {}", transports, describe_extent(plan));
}

int run_worker(const WorkerArguments& arguments) {
  Interrupts interrupts;
  Fd socket(arguments.descriptor);
  const std::string peer = remote_address(socket.get());
  ResponderOptions options;
  options.max_memory = arguments.max_memory;
  options.local_ip = local_ip(socket.get());
  TcpChannel channel(std::move(socket));
  const auto end_when_stuck = [&](std::chrono::nanoseconds grace) {
    channel.on_stuck(grace, [](const Failure& failure) {
      print_err(describe(failure));
      remove_leftovers_of_peer();
      std::_Exit(static_cast<int>(ExitStatus::peer));
    });
  };
  options.accepted = [&](const Plan& plan) {
    end_when_stuck(plan.peer_timeout);
    say(arguments, fmt::format("run from {}: {}", peer, summary_of(plan)));
  };
  interrupts.tell([&](int number) { channel.interrupt(number); });
  end_when_stuck(TcpChannel::kDefaultPeerTimeout);
  try {
    respond(channel, options);
  } catch (...) {
    interrupts.forget();
    remove_leftovers_of_peer();
    say(arguments, fmt::format("run from {}: ended early", peer));
    throw;
  }
  interrupts.forget();
  say(arguments, fmt::format("run from {}: done", peer));
  return 0;
}

}  // namespace

Command add_serve_command(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("serve", "Wait for `pairbench run` from another host");
  sub->footer(limits_text());
  auto arguments = std::make_shared<ServeArguments>();
  sub->add_option("--bind", arguments->bind, "Address to listen on (default: all)");
  add_word(*sub, "-p,--port", fmt::format("Port (default {}; 0: any free one)", kDefaultPort),
           [=](const std::string& word) {
             arguments->port = static_cast<std::uint16_t>(parse_count(word, 0, 65535));
           });
  sub->add_flag("--once", arguments->once, "End after the first session, with its exit status");
  add_word(*sub, "--max-memory", "Refuse runs that need more (default 4G)",
           [=](const std::string& word) { arguments->max_memory = parse_size(word); });
  sub->add_option("--secret-file", arguments->secret_file,
                  "Serve only who knows what this file has (data is not encrypted)")
      ->type_name("FILE");
  sub->add_flag("-q,--quiet", arguments->quiet, "Print nothing but the first line and errors");
  return {sub, [=] { return run_serve(*arguments); }};
}

Command add_worker_command(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("worker", "One session of serve")->group("");
  auto arguments = std::make_shared<WorkerArguments>();
  sub->add_option("--fd", arguments->descriptor)->required();
  sub->add_option("--max-memory", arguments->max_memory)->required();
  sub->add_flag("-q", arguments->quiet);
  return {sub, [=] { return run_worker(*arguments); }};
}

}  // namespace pairbench
