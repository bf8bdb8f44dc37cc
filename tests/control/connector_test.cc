#include "control/connector.h"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <vector>

#include "control/framing.h"
#include "support.h"

namespace pairbench {
namespace {

using namespace control_test;

std::string read_knock(const Fd& socket) {
  std::string bytes(kKnockSize, '\0');
  EXPECT_EQ(recv(socket.get(), bytes.data(), bytes.size(), MSG_WAITALL),
            static_cast<ssize_t>(kKnockSize));
  return bytes;
}

std::string own_knock() {
  const Knock knock = encode_knock();
  return {knock.data(), knock.size()};
}

// A port that nobody listens at, for the moment.
SocketAddress address_of(const std::string& host, std::uint16_t port) {
  return resolve({host, port}).at(0);
}

// Listens with a queue that is full: further connection attempts get no answer at all.
class FullListener {
 public:
  FullListener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const SocketAddress any = address_of("127.0.0.1", 0);
    EXPECT_EQ(bind(socket_.get(), any.generic(), any.length), 0);
    EXPECT_EQ(listen(socket_.get(), 0), 0);
    for (int i = 0; i < 4; ++i) {
      Fd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      const SocketAddress self = address_of("127.0.0.1", port());
      connect(client.get(), self.generic(), self.length);
      clients_.push_back(std::move(client));
    }
  }

  std::uint16_t port() const { return local_port(socket_.get()); }

 private:
  Fd socket_;
  std::vector<Fd> clients_;
};

TEST(Connector, KnocksAndTellsTheAddressUsed) {
  for (const std::string host : {"127.0.0.1", "::1"}) {
    const Fd listener = listen_on(host, 0);
    const EndpointName name{host, local_port(listener.get())};
    const Connection connection = connect_to_peer(name, 0s);
    EXPECT_EQ(connection.address, to_string(name));
    EXPECT_EQ(connection.channel->peer_name(), to_string(name));
    EXPECT_EQ(read_knock(accept_raw(listener)), own_knock());
  }
}

TEST(Connector, ChannelFollowsTheKnock) {
  const Fd listener = listen_on("127.0.0.1", 0);
  const Connection connection = connect_to_peer({"127.0.0.1", local_port(listener.get())}, 0s);
  const Fd accepted = accept_raw(listener);
  connection.channel->send(text_message("hello"));
  EXPECT_EQ(read_knock(accepted), own_knock());
  const std::string frame = encode_frame(text_message("hello"));
  std::string bytes(frame.size(), '\0');
  recv(accepted.get(), bytes.data(), bytes.size(), MSG_WAITALL);
  EXPECT_EQ(bytes, frame);
}

TEST(Connector, ServerOfOneFamilyIsFoundUnderANameOfBoth) {
  for (const std::string host : {"127.0.0.1", "::1"}) {
    const Fd listener = listen_on(host, 0);
    const std::uint16_t port = local_port(listener.get());
    const Fd socket =
        connect_to_any({"two", port}, {address_of("::1", port), address_of("127.0.0.1", port)}, 5s);
    EXPECT_EQ(remote_address(socket.get()), to_string(EndpointName{host, port}));
  }
}

TEST(Connector, AnAddressThatDoesNotAnswerIsLeftAfterItsTimeout) {
  const FullListener dead;
  const Fd live = listen_on("127.0.0.1", 0);
  const std::vector<SocketAddress> addresses = {address_of("127.0.0.1", dead.port()),
                                                address_of("127.0.0.1", local_port(live.get()))};
  const Fd socket = connect_to_any({"two", 1}, addresses, 200ms);
  EXPECT_EQ(remote_address(socket.get()), local_address(live.get()));
}

TEST(Connector, TheErrorListsEveryAddressWithItsOwn) {
  const FullListener dead;
  const std::uint16_t closed = free_port();
  const std::vector<SocketAddress> addresses = {address_of("127.0.0.1", dead.port()),
                                                address_of("127.0.0.1", closed),
                                                address_of("::1", closed)};
  const Failure failure = failure_of([&] { connect_to_any({"nodeB", 18600}, addresses, 100ms); });
  EXPECT_EQ(failure.status, ExitStatus::peer);
  EXPECT_EQ(failure.phase, Phase::connect);
  EXPECT_EQ(failure.message, "cannot connect to nodeB:18600");
  EXPECT_EQ(failure.cause, "127.0.0.1:" + std::to_string(dead.port()) + ": Connection timed out\n" +
                               "127.0.0.1:" + std::to_string(closed) + ": Connection refused\n" +
                               "[::1]:" + std::to_string(closed) + ": Connection refused");
  EXPECT_NE(failure.hint.find("pairbench serve"), std::string::npos);
}

TEST(Connector, ScopeIdsReachTheSystem) {
  const Failure failure =
      failure_of([] { connect_to_peer(parse_endpoint_name("[fe80::1%lo]:9"), 0s); });
  EXPECT_EQ(failure.cause.find("[fe80::1%lo]:9: "), 0u);
  EXPECT_NE(failure_of([] {
              resolve({"fe80::1%nosuch0", 9});
            }).message.find("fe80::1%nosuch0"),
            std::string::npos);
}

TEST(Connector, UnknownNameGivesTheResolversText) {
  const Failure failure = failure_of([] { connect_to_peer({"no-such-host.invalid", 18600}, 0s); });
  EXPECT_EQ(failure.status, ExitStatus::peer);
  EXPECT_EQ(failure.phase, Phase::connect);
  EXPECT_NE(failure.message.find("'no-such-host.invalid'"), std::string::npos);
  EXPECT_FALSE(failure.cause.empty());
}

TEST(Connector, RefusalIsImmediateByDefault) {
  const auto start = Deadline::Clock::now();
  EXPECT_THROW(connect_to_peer({"127.0.0.1", free_port()}, 0s), Error);
  EXPECT_LT(Deadline::Clock::now() - start, kConnectTimeout);
}

TEST(Connector, RetriesUntilTheServerIsThere) {
  const std::uint16_t port = free_port();
  int waits = 0;
  Fd listener;
  // The server comes only after the first attempt has failed.
  const auto waiting = [&] {
    if (++waits == 3) listener = listen_on("127.0.0.1", port);
  };
  const Connection connection = connect_to_peer({"127.0.0.1", port}, kPatience, waiting);
  EXPECT_EQ(read_knock(accept_raw(listener)), own_knock());
  EXPECT_GE(waits, 3);
}

TEST(Connector, RetriesEnd) {
  const Failure failure = failure_of([] { connect_to_peer({"127.0.0.1", free_port()}, 300ms); });
  EXPECT_NE(failure.cause.find("Connection refused"), std::string::npos);
}

TEST(Connector, WaitingCanBeEnded) {
  const FullListener dead;
  EXPECT_THROW(connect_to_peer({"127.0.0.1", dead.port()}, kPatience, [] { throw Interrupted(2); }),
               Interrupted);
  EXPECT_THROW(connect_to_peer({"127.0.0.1", free_port()}, kPatience, [] { throw Interrupted(2); }),
               Interrupted);
}

TEST(Connector, AddressesOfANameAreDistinct) {
  const std::vector<SocketAddress> addresses = resolve({"localhost", 80});
  ASSERT_FALSE(addresses.empty());
  for (std::size_t i = 0; i < addresses.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(addresses[i].text(), addresses[j].text());
}

}  // namespace
}  // namespace pairbench
