// A process for the tests to talk to: a supervisor, or the worker of one session that does what the
// messages ask.
//   control_helper serve [once] [grace=MS] [stop=MS] [hello=MS] [longest=MS] [secret=TEXT]
//   control_helper session DESCRIPTOR

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "control/supervisor.h"
#include "control/tcp_channel.h"

namespace pairbench {
namespace {

[[noreturn]] void hang() {
  std::signal(SIGTERM, SIG_IGN);
  for (;;) pause();
}

Json open_descriptors() {
  Json list = Json::array();
  for (int number = 0; number < 1024; ++number)
    if (fcntl(number, F_GETFD) != -1) list.push_back(number);
  return list;
}

// Does what one message asks; true when the session is over.
bool obey(TcpChannel& channel, const Message& message) {
  if (message.type == "echo") channel.send(message);
  if (message.type == "hang") hang();
  if (message.type == "crash") raise(SIGABRT);
  if (message.type == "exit") std::_Exit(message.body.at("status"));
  if (message.type == "fail_and_exit") {
    // Stands still until more has come in, so that bytes lie unread when it exits.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    channel.fail({ExitStatus::failed, Phase::open, message.body.at("text"), "", "", ""});
    std::_Exit(1);
  }
  return message.type == "finish";
}

int run_session(int descriptor) {
  const Json inherited = open_descriptors();
  TcpChannel channel{Fd(descriptor)};
  try {
    for (;;) {
      const Message message = channel.receive(Phase::measure, Deadline::never());
      if (message.type == "descriptors") channel.send({"descriptors", {{"list", inherited}}});
      if (obey(channel, message)) return 7;
    }
  } catch (const Error&) {
    return 5;
  }
}

void print(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

int run_server(const std::vector<std::string>& words) {
  ServeOptions options;
  std::optional<Secret> secret;
  options.port = 0;
  options.log = print;
  options.on_listening = [](const std::string& address, std::uint16_t) {
    print("listening on " + address);
  };
  options.worker_argv = [](int descriptor) {
    return std::vector<std::string>{std::filesystem::read_symlink("/proc/self/exe"), "session",
                                    std::to_string(descriptor)};
  };
  for (const std::string& word : words) {
    const auto milliseconds = [&] {
      return std::chrono::milliseconds(std::stoi(word.substr(word.find('=') + 1)));
    };
    if (word == "once") options.once = true;
    if (word == "noexec")
      options.worker_argv = [](int) { return std::vector<std::string>{"/nosuch/program"}; };
    if (word == "refuse")
      options.worker_argv = [](int) -> std::vector<std::string> { throw_usage("no worker today"); };
    if (word.starts_with("grace=")) options.worker_grace = milliseconds();
    if (word.starts_with("stop=")) options.stop_grace = milliseconds();
    if (word.starts_with("hello=")) options.hello_deadline = milliseconds();
    if (word.starts_with("longest=")) options.longest_session = milliseconds();
    if (word.starts_with("secret=")) options.secret = &secret.emplace(word.substr(7));
  }
  return serve(options);
}

}  // namespace
}  // namespace pairbench

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 2 && words[0] == "session")
    return pairbench::run_session(std::stoi(words[1]));
  if (!words.empty() && words[0] == "serve") return pairbench::run_server(words);
  return 64;
}
