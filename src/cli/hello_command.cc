#include <fmt/format.h>

#include <atomic>
#include <memory>

#include "base/error.h"
#include "base/units.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/interrupts.h"
#include "cli/output.h"
#include "harness/hello.h"

namespace pairbench {
namespace {

int run_hello(const HelloRequest& request) {
  Interrupts interrupts;
  std::atomic<bool> stop{false};
  interrupts.tell([&](int) { stop = true; });
  try {
    hello(
        request, [](const std::string& line) { print_out(line + "\n"); }, stop);
  } catch (const Error&) {
    interrupts.forget();
    interrupts.check();
    throw;
  }
  interrupts.forget();
  interrupts.check();
  return 0;
}

}  // namespace

Command add_hello_command(CLI::App& app) {
  CLI::App* sub =
      app.add_subcommand("hello", "One message over the fabric with no control channel");
  auto request = std::make_shared<HelloRequest>();
  add_word(*sub, "-t,--transport", "libfabric[:PROVIDER[/DOMAIN]]", [=](const std::string& word) {
    request->transport = parse_transport(word);
  })->required();
  const CLI::Option* address = sub->add_option(
      "ADDRESS", request->peer_address, "The receiver's address, as it printed it; none: receive");
  const CLI::Option* text = sub->add_option("TEXT", request->text, "What to send (default: hello)");
  add_word(*sub, "--count", "Receive: end after so many messages",
           [=](const std::string& word) { request->messages = parse_count(word, 1, UINT32_MAX); });
  return {sub, [=] {
            if (address->count() > 0 && request->peer_address.empty())
              throw_usage("ADDRESS is empty", "leave it out to receive");
            if (text->count() > 0 && request->text.empty())
              throw_usage("TEXT is empty", "leave it out to send 'hello'");
            if (request->text.empty()) request->text = "hello";
            return run_hello(*request);
          }};
}

}  // namespace pairbench
