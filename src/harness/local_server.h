// `pairbench serve --once` on this host, started for a local run.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "control/socket.h"

namespace pairbench {

class LocalServer {
 public:
  // Starts this very program and waits for its "listening on" line. Throws Error(failed, connect)
  // with what the server said when it does not come within ten seconds.
  LocalServer();
  // Waits shortly for an orderly end, then ends it.
  ~LocalServer();
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

  // As HOST:PORT.
  const std::string& address() const { return address_; }

 private:
  std::string read_address();
  std::string last_words();

  pid_t pid_ = -1;
  Fd output_;
  Fd errors_;
  std::string address_;
};

}  // namespace pairbench
