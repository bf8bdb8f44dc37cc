#include "control/listener.h"

#include <gtest/gtest.h>

#include <string>

#include "support.h"

namespace pairbench {
namespace {

using namespace control_test;

TEST(Listener, EveryAddressMeansBothFamilies) {
  const Fd listener = listen_on("", 0);
  const std::uint16_t port = local_port(listener.get());
  EXPECT_NE(port, 0);
  for (const std::string host : {"127.0.0.1", "::1"}) {
    const Fd client = connect_raw(host, port);
    const Fd accepted = accept_raw(listener);
    EXPECT_EQ(remote_address(accepted.get()), local_address(client.get()));
  }
}

TEST(Listener, OneAddressMeansThatAddress) {
  const Fd listener = listen_on("127.0.0.1", 0);
  const std::uint16_t port = local_port(listener.get());
  EXPECT_EQ(local_address(listener.get()), "127.0.0.1:" + std::to_string(port));
  EXPECT_THROW(connect_raw("::1", port), Error);
}

TEST(Listener, PortInUseSaysWhoToAskAndWhatToDo) {
  for (const std::string first : {"", "127.0.0.1"}) {
    const Fd listener = listen_on(first, 0);
    const std::string port = std::to_string(local_port(listener.get()));
    for (const std::string second : {"", "127.0.0.1"}) {
      const Failure failure = failure_of([&] { listen_on(second, local_port(listener.get())); });
      EXPECT_EQ(failure.status, ExitStatus::failed);
      EXPECT_EQ(failure.message, "port " + port + " is in use");
      EXPECT_NE(failure.hint.find("ss -ltnp 'sport = :" + port + "'"), std::string::npos);
      EXPECT_NE(failure.hint.find("--port"), std::string::npos);
    }
  }
}

TEST(Listener, ForeignAddressIsNamed) {
  const Failure failure = failure_of([] { listen_on("192.0.2.1", 0); });
  EXPECT_EQ(failure.status, ExitStatus::failed);
  EXPECT_NE(failure.cause.find("192.0.2.1"), std::string::npos);
  EXPECT_FALSE(failure.hint.empty());
}

TEST(Listener, NameThatDoesNotResolveIsAUsageError) {
  EXPECT_EQ(failure_of([] { listen_on("no such host", 0); }).status, ExitStatus::usage);
}

}  // namespace
}  // namespace pairbench
