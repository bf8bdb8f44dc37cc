#include <fmt/format.h>

#include <atomic>
#include <memory>

#include "base/error.h"
#include "base/units.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/interrupts.h"
#include "cli/output.h"
#include "harness/interop.h"

namespace pairbench {
namespace {

int run_rc_pingpong(const RcPingpongRequest& request) {
  Interrupts interrupts;
  std::atomic<bool> stop{false};
  interrupts.tell([&](int) { stop = true; });
  try {
    rc_pingpong(
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

int parse_small(const std::string& word, std::uint64_t low, std::uint64_t high) {
  return static_cast<int>(parse_count(word, low, high));
}

void add_amounts(CLI::App& app, RcPingpongRequest& request) {
  constexpr std::uint64_t kMost = 1u << 30;
  add_word(app, "-s,--size", "Bytes of a message (4096)",
           [&](const std::string& word) { request.size_bytes = parse_size(word); });
  add_word(app, "-n,--iters", "Round trips (1000)", [=, &request](const std::string& word) {
    request.iterations = parse_count(word, 1, kMost);
  });
  add_word(app, "-r,--rx-depth", "Receives posted (500)",
           [&](const std::string& word) { request.rx_depth = parse_count(word, 1, 1u << 20); });
}

void add_path(CLI::App& app, RcPingpongRequest& request) {
  app.add_option("-d,--ib-dev", request.device, "RDMA device (default: chosen)");
  add_word(app, "-i,--ib-port", "Port of the device (default: chosen)",
           [&](const std::string& word) { request.device_port = parse_small(word, 1, 255); });
  add_word(app, "-g,--gid-idx", "GID index (default: chosen)",
           [&](const std::string& word) { request.gid_index = parse_small(word, 0, 255); });
  add_word(app, "-m,--mtu", "Path MTU, 256 to 4096 (1024)",
           [&](const std::string& word) { request.mtu_bytes = parse_mtu(word); });
  add_word(app, "-p,--port", "TCP port of the exchange (18515)", [&](const std::string& word) {
    request.port = static_cast<std::uint16_t>(parse_small(word, 1, 65535));
  });
}

}  // namespace

Command add_interop_command(CLI::App& app) {
  CLI::App* sub =
      app.add_subcommand("interop", "Measure against another program, in its own way of starting");
  auto request = std::make_shared<RcPingpongRequest>();
  auto program = std::make_shared<std::string>();
  sub->add_option("PROGRAM", *program, "rc_pingpong: rdma-core's ibv_rc_pingpong")->required();
  sub->add_option("HOST", request->host, "Where its server waits; none: be the server");
  add_amounts(*sub, *request);
  add_path(*sub, *request);
  return {sub, [=] {
            if (*program != "rc_pingpong")
              throw_usage(fmt::format("interop: '{}' is not known", *program),
                          "the one there is: pairbench interop rc_pingpong [HOST]");
            if (request->size_bytes == 0)
              throw_usage("--size: 0 is not possible here", "1 or more");
            return run_rc_pingpong(*request);
          }};
}

}  // namespace pairbench
