// A server process for the tests of this room, and how they talk to it.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "control/connector.h"
#include "control/framing.h"
#include "support.h"

namespace pairbench::control_test {

// A server in a process of its own, and what it prints.
class ServerProcess {
 public:
  explicit ServerProcess(std::vector<std::string> options = {}) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    output_ = Fd(ends[0]);
    const Fd theirs(ends[1]);
    spawn(std::move(options), theirs.get());
    const std::string line = wait_for("listening on ");
    port_ = static_cast<std::uint16_t>(std::stoi(line.substr(line.rfind(':') + 1)));
  }

  ~ServerProcess() {
    if (exit_status_) return;
    // In good order where it can, so that coverage counts what it ran; the second one hurries it.
    for (const int number : {SIGTERM, SIGTERM, SIGKILL}) {
      kill(pid_, number);
      for (int look = 0; look < 100; ++look) {
        if (waitpid(pid_, nullptr, WNOHANG) == pid_) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    }
  }

  std::uint16_t port() const { return port_; }
  void signal(int number) const { kill(pid_, number); }

  // The next line that has `part` in it.
  std::string wait_for(const std::string& part) {
    for (;;) {
      const std::string line = next_line();
      if (line.empty() || line.find(part) != std::string::npos) return line;
    }
  }

  // The exit status, or -1 when a signal ended it.
  int wait() {
    int status = 0;
    EXPECT_TRUE(eventually([&] { return waitpid(pid_, &status, WNOHANG) == pid_; }));
    exit_status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return *exit_status_;
  }

  bool alive() const { return kill(pid_, 0) == 0 && waitpid(pid_, nullptr, WNOHANG) == 0; }

  std::ptrdiff_t open_descriptors() const {
    const std::filesystem::directory_iterator list("/proc/" + std::to_string(pid_) + "/fd");
    return std::distance(begin(list), end(list));
  }

  Connection connect(const std::string& host = "127.0.0.1", const Secret* secret = nullptr) const {
    return connect_to_peer({host, port_}, 0s, nullptr, secret);
  }

 private:
  void spawn(std::vector<std::string> options, int output) {
    std::vector<std::string> words = {CONTROL_HELPER, "serve"};
    words.insert(words.end(), options.begin(), options.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    // Whatever this test itself has inherited is not the server's.
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    EXPECT_EQ(posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
  }

  std::string next_line() {
    for (;;) {
      const std::size_t end = text_.find('\n');
      if (end != std::string::npos) {
        const std::string line = text_.substr(0, end);
        text_.erase(0, end + 1);
        return line;
      }
      char buffer[4096];
      if (!readable(output_.get())) break;
      const ssize_t count = read(output_.get(), buffer, sizeof buffer);
      if (count <= 0) break;
      text_.append(buffer, static_cast<std::size_t>(count));
    }
    ADD_FAILURE() << "the server says nothing more";
    return {};
  }

  pid_t pid_ = -1;
  std::uint16_t port_ = 0;
  Fd output_;
  std::string text_;
  std::optional<int> exit_status_;
};

inline std::string own_knock() {
  const Knock knock = encode_knock();
  return {knock.data(), knock.size()};
}

inline void expect_echo(Channel& channel, const std::string& text = "x") {
  channel.send(text_message("echo", text));
  EXPECT_EQ(channel.receive(Phase::hello, soon()).body.at("text"), text);
}

inline Failure awaited_failure(const Connection& connection) {
  return failure_of([&] { connection.channel->receive(Phase::hello, soon()); });
}

inline bool mentions(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace pairbench::control_test
