#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/cpu.h"
#include "base/units.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/interrupts.h"
#include "cli/measuring_options.h"
#include "cli/output.h"
#include "cli/plan_view.h"
#include "cli/recorder.h"
#include "compare/views.h"
#include "control/connector.h"
#include "control/secret.h"
#include "harness/host.h"
#include "harness/ids.h"
#include "harness/inproc_peer.h"
#include "harness/leftovers.h"
#include "harness/local_server.h"
#include "harness/run.h"
#include "plan/costs.h"
#include "plan/json.h"
#include "plan/json_fields.h"
#include "report/document_json.h"
#include "report/partial.h"
#include "report/quality.h"
#include "report/render.h"

namespace pairbench {
namespace {

ResultDocument new_document(const MeasuringArguments& arguments,
                            const std::vector<std::string>& argv) {
  ResultDocument document;
  document.tool_version = tool_version();
  document.run.id = make_uuid();
  document.run.started_at = now_rfc3339();
  document.run.argv = argv;
  document.run.seed = arguments.config.seed;
  document.initiator_host = describe_this_host();
  document.config = arguments.config;
  return document;
}

// Where `pairbench serve` waits, and the secret that both ends are to know.
struct Server {
  EndpointName name;
  std::optional<Secret> secret;
};

// Everything that answers, in the order in which it must come and go: the processes and threads
// first.
class Peers {
 public:
  // `server`: where to connect; nullopt: start one here, for the transports that need a process.
  Peers(const Config& config, const std::optional<Server>& server, Interrupts& interrupts,
        ResultDocument& document) {
    std::vector<std::size_t> here;
    std::vector<std::size_t> elsewhere;
    for (std::size_t t = 0; t < config.transports.size(); ++t)
      (config.transports[t].kind == TransportKind::inproc ? here : elsewhere).push_back(t);
    if (!elsewhere.empty()) connect(config, server, elsewhere, interrupts, document);
    if (here.empty()) return;
    inproc_.emplace();
    peers_.push_back({inproc_->take_channel(), here, std::nullopt});
  }

  std::vector<Peer> take() { return std::move(peers_); }

 private:
  void connect(const Config& config, const std::optional<Server>& server,
               const std::vector<std::size_t>& transports, Interrupts& interrupts,
               ResultDocument& document) {
    if (!server) local_server_.emplace();
    const EndpointName name = server ? server->name : parse_endpoint_name(local_server_->address());
    const Secret* secret = server && server->secret ? &*server->secret : nullptr;
    Connection connection = connect_to_peer(
        name, config.connect_retry, [&] { interrupts.check(); }, secret);
    document.control_address = connection.address;
    const std::string local_ip = parse_endpoint_name(connection.local_address).host;
    peers_.push_back({std::move(connection.channel), transports, local_ip});
  }

  std::optional<LocalServer> local_server_;
  std::optional<InprocPeer> inproc_;
  std::vector<Peer> peers_;
};

// The channels end the run when a signal comes, or when the measuring thread hangs inside a
// library.
void watch(const std::vector<Channel*>& channels, const MeasuringArguments& arguments,
           Interrupts& interrupts, Recorder& recorder) {
  for (Channel* channel : channels) {
    interrupts.tell([channel](int number) { channel->interrupt(number); });
    channel->on_stuck(arguments.config.peer_timeout, [&](const Failure& failure) {
      const auto place = recorder.salvage(failure);
      const int status = report_failure(failure, arguments.for_programs());
      if (place) print_err(fmt::format("  saved:  {}\n", *place));
      remove_leftovers_of_peer();
      remove_leftovers_of(getpid());
      std::_Exit(interrupts.pending() ? 128 + *interrupts.pending() : status);
    });
  }
}

void measure(const MeasuringArguments& arguments, const std::optional<Server>& server,
             Interrupts& interrupts, ResultDocument& document, Recorder& recorder) {
  struct Forget {
    Interrupts& interrupts;
    ~Forget() { interrupts.forget(); }
  };
  Peers peers(arguments.config, server, interrupts, document);
  std::vector<Peer> ends = peers.take();
  std::vector<Channel*> channels;
  for (const Peer& end : ends) channels.push_back(end.channel.get());
  Run run(arguments.config, std::move(ends), document, recorder);
  const Forget forget{interrupts};  // before the channels go
  watch(channels, arguments, interrupts, recorder);
  run.execute();
}

std::string how_much(const ResultDocument& document) {
  std::size_t finished = 0;
  std::size_t all = 0;
  for (const CaseResult& result : document.cases) {
    if (!result.plan.runs()) continue;
    ++all;
    finished += result.repeats.empty() ? 0 : 1;
  }
  return fmt::format("{} of {} cases have results", finished, all);
}

void print_results(const MeasuringArguments& arguments, const ResultDocument& document) {
  if (arguments.json_stream) return;  // they went out one by one
  print_out(arguments.json ? document_text(document)
                           : render(document, Format::table, arguments.verbose));
}

// Saves what there is of a run that ended early; the exit status stays the failure's.
int end_early(const Failure& failure, int status, const MeasuringArguments& arguments,
              ResultDocument& document, Recorder& recorder) {
  remove_leftovers_of_peer();
  document.run.failure = failure;
  document.run.ended_at = now_rfc3339();
  assess(document);
  const bool any = std::any_of(document.cases.begin(), document.cases.end(),
                               [](const CaseResult& c) { return !c.repeats.empty(); });
  std::string saved = any ? "nothing: there is no result file" : "nothing was finished";
  try {
    if (const auto place = recorder.save(document))
      saved = fmt::format("{} ({})", *place, how_much(document));
  } catch (const Error& error) {
    const Failure& why = error.failure();
    saved =
        fmt::format("{}: {}{}{}", why.message, why.cause, why.hint.empty() ? "" : "; ", why.hint);
  }
  // Only now: a screen that cannot be written must not cost the document.
  try {
    if (any && !recorder.took_stdout()) print_results(arguments, document);
  } catch (const Error& error) {
    print_err(fmt::format("warning: {}: {}\n", error.failure().message, error.failure().cause));
  }
  const bool told = any && arguments.json;  // within the document
  report_failure(failure, arguments.for_programs() && !told);
  print_err(fmt::format("  saved:  {}\n", saved));
  return status;
}

// Every transport against the first; empty where nothing can be said.
std::string overall_verdicts(const ResultDocument& document) {
  std::string text;
  const auto metrics = default_metrics();
  for (std::size_t t = 1; t < document.transports.size(); ++t)
    text += render_overall(compare({&document, 0, ""}, {&document, t, ""}, metrics));
  return text;
}

void say_what_next(const std::string& place, const ResultDocument& document) {
  print_err(fmt::format("saved {}\nnext: pairbench report {} -o report.html\n", place, place));
  print_err(fmt::format("      pairbench compare {}{}\n",
                        document.transports.size() > 1 ? "" : "OLDER.json ", place));
}

int end_well(const MeasuringArguments& arguments, ResultDocument& document, Recorder& recorder) {
  document.run.complete = true;
  document.run.ended_at = now_rfc3339();
  assess(document);
  std::optional<std::string> place;
  std::optional<Failure> unsaved;
  try {
    place = recorder.save(document);
  } catch (const Error& error) {
    unsaved = error.failure();
  }
  if (!recorder.took_stdout()) print_results(arguments, document);
  if (arguments.json_stream) print_out(partial_run(document.run));
  if (!arguments.for_programs() && !recorder.took_stdout()) print_out(overall_verdicts(document));
  if (unsaved) return report_failure(*unsaved, false);
  if (place && !arguments.quiet && recorder.can_be_shown()) say_what_next(*place, document);
  const bool any = std::any_of(document.cases.begin(), document.cases.end(),
                               [](const CaseResult& c) { return c.status == CaseStatus::ok; });
  if (any) return static_cast<int>(ExitStatus::done);
  print_err("error: every case was skipped\n");
  return static_cast<int>(ExitStatus::failed);
}

// Those of this host, before anybody is contacted. The other host looks at its own.
void require_cpus(const Config& config, bool other_host) {
  if (config.initiator_cpu) require_allowed_cpu(*config.initiator_cpu);
  if (config.responder_cpu && !other_host) require_allowed_cpu(*config.responder_cpu);
}

// A run that the machine cannot hold is refused before anything is opened, instead of ending in the
// middle.
void require_memory(const Plan& plan, const HostFacts& host, bool other_host) {
  const std::uint64_t one_end = memory_needed(plan);
  const std::uint64_t needed = other_host || one_end > UINT64_MAX / 2 ? one_end : 2 * one_end;
  if (!host.memory_bytes || needed <= *host.memory_bytes) return;
  throw Error(ExitStatus::failed, Phase::plan,
              fmt::format("this run needs {} MiB of memory, this host has {} MiB", needed >> 20,
                          *host.memory_bytes >> 20),
              "", "measure smaller sizes; --plan shows what each choice needs");
}

int run_measurement(MeasuringArguments& arguments, const std::optional<Server>& server,
                    const std::vector<std::string>& argv) {
  settle(arguments);
  if (arguments.json && arguments.json_stream)
    throw_usage("--json-stream: --json is given too", "give one of the two");
  if (arguments.json_stream && arguments.out == "/dev/stdout")
    throw_usage("--out: /dev/stdout is where --json-stream writes", "name a file, or use --json");
  require_cpus(arguments.config, server.has_value());
  const Plan preview =
      make_plan(arguments.config, std::vector<PairFacts>(arguments.config.transports.size()), {});
  if (arguments.plan_only) {
    print_out(arguments.json ? nlohmann::ordered_json(preview).dump(2) + "\n"
                             : render_plan(preview));
    return 0;
  }
  Interrupts interrupts;
  ResultDocument document = new_document(arguments, argv);
  require_memory(preview, document.initiator_host, server.has_value());
  Recorder recorder(arguments);
  if (!arguments.quiet) print_err(fmt::format("{}\n", describe_extent(preview)));
  try {
    measure(arguments, server, interrupts, document, recorder);
  } catch (const Error& error) {
    const Failure& failure = error.failure();
    return end_early(failure, static_cast<int>(failure.status), arguments, document, recorder);
  } catch (const Interrupted& interrupted) {
    const int status = 128 + interrupted.signal_number();
    const Failure failure{
        static_cast<ExitStatus>(status), Phase::measure, "interrupted", "", "", ""};
    return end_early(failure, status, arguments, document, recorder);
  }
  return end_well(arguments, document, recorder);
}

// inproc has no second process, let alone a second host.
void refuse_inproc(const MeasuringArguments& arguments) {
  for (const std::string& text : arguments.transports)
    if (parse_transport(text).kind == TransportKind::inproc)
      throw_usage(
          fmt::format("-t: '{}' is two threads of one process and reaches no other host", text),
          "use it with: pairbench local");
}

}  // namespace

Command add_run_command(CLI::App& app, const std::vector<std::string>& argv) {
  CLI::App* sub = app.add_subcommand("run", "Measure to a host where `pairbench serve` waits");
  struct RunArguments : MeasuringArguments {
    std::string host;
    std::optional<std::uint16_t> port;
    std::optional<std::string> secret_file;
  };
  auto arguments = std::make_shared<RunArguments>();
  sub->add_option("HOST", arguments->host, "HOST[:PORT], [v6]:PORT")->required();
  add_word(*sub, "-p,--port", "Instead of :PORT", [=](const std::string& w) {
    arguments->port = static_cast<std::uint16_t>(parse_count(w, 1, 65535));
  });
  sub->add_option("--secret-file", arguments->secret_file,
                  "Measure only with a server that knows what this file has, and show it the same")
      ->type_name("FILE");
  add_measuring_options(*sub, *arguments);
  return {sub, [=] {
            std::optional<Server> server(Server{parse_endpoint_name(arguments->host), {}});
            if (arguments->port && server->name.port != kDefaultPort)
              throw_usage("--port: HOST names a port too", "give one of the two");
            if (arguments->port) server->name.port = *arguments->port;
            refuse_inproc(*arguments);
            if (arguments->secret_file)
              server->secret.emplace(Secret::from_file(*arguments->secret_file));
            return run_measurement(*arguments, server, argv);
          }};
}

Command add_local_command(CLI::App& app, const std::vector<std::string>& argv) {
  CLI::App* sub = app.add_subcommand("local", "Measure with both ends on this host");
  auto arguments = std::make_shared<MeasuringArguments>();
  add_measuring_options(*sub, *arguments);
  return {sub, [=] { return run_measurement(*arguments, std::nullopt, argv); }};
}

}  // namespace pairbench
