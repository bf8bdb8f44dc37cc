#include "control/rc_pingpong_exchange.h"

#include <gtest/gtest.h>

#include <future>

#include "base/error.h"
#include "control/listener.h"
#include "control/support.h"

namespace pairbench {
namespace {

RcPingpongAddress some_address(std::uint8_t seed) {
  RcPingpongAddress address;
  address.lid = static_cast<std::uint16_t>(0x10 + seed);
  address.queue_pair = 0xabc000u + seed;
  address.first_packet = 0x000f00u + seed;
  for (std::size_t i = 0; i < address.gid.size(); ++i)
    address.gid[i] = static_cast<std::uint8_t>(seed + i);
  return address;
}

TEST(RcPingpongAddress, IsALineOfFixedWidth) {
  RcPingpongAddress address = some_address(0);
  address.gid = {};
  EXPECT_EQ(to_wire(address), "0010:abc000:000f00:00000000000000000000000000000000");
  EXPECT_EQ(from_wire(to_wire(some_address(7))), some_address(7));
  EXPECT_EQ(from_wire(to_wire(some_address(7)) + std::string(1, '\0')), some_address(7));
}

TEST(RcPingpongAddress, RefusesWhatIsNone) {
  EXPECT_EQ(from_wire(""), std::nullopt);
  EXPECT_EQ(from_wire("0010:abc000:000f00"), std::nullopt);
  EXPECT_EQ(from_wire("0010:abc000:000f00:0000000000000000000000000000000g"), std::nullopt);
  EXPECT_EQ(from_wire("0010-abc000:000f00:00000000000000000000000000000000"), std::nullopt);
}

TEST(RcPingpongExchange, BothEndsLearnTheOther) {
  const std::uint16_t port = control_test::free_port();
  std::atomic<bool> stop{false};
  auto server = std::async(std::launch::async, [&] {
    RcPingpongExchange exchange("", port, stop);
    const RcPingpongAddress learned = exchange.learn();
    exchange.tell(some_address(2));
    return learned;
  });
  std::optional<RcPingpongAddress> learned;
  for (int attempt = 0; attempt < 100 && !learned; ++attempt) {
    try {
      RcPingpongExchange client("127.0.0.1", port, stop);
      learned = client.trade(some_address(1));
    } catch (const Error& error) {  // the server may not listen yet
      ASSERT_EQ(error.failure().phase, Phase::connect);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  EXPECT_EQ(learned, some_address(2));
  EXPECT_EQ(server.get(), some_address(1));
}

TEST(RcPingpongExchange, AServerCanBeStopped) {
  std::atomic<bool> stop{true};
  EXPECT_THROW(RcPingpongExchange("", control_test::free_port(), stop), Error);
}

TEST(RcPingpongExchange, ASilentPeerDoesNotKeepItFromStopping) {
  std::atomic<bool> stop{false};
  const Fd silent = listen_on("127.0.0.1", 0);
  RcPingpongExchange client("127.0.0.1", local_port(silent.get()), stop);
  stop = true;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(client.trade(some_address(1)), Error);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(RcPingpongExchange, WhoRefusesIsNoServerOfPairbench) {
  std::atomic<bool> stop{false};
  try {
    RcPingpongExchange("127.0.0.1", control_test::free_port(), stop);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().phase, Phase::connect);
    EXPECT_NE(error.failure().hint.find("ibv_rc_pingpong"), std::string::npos);
    EXPECT_EQ(error.failure().hint.find("serve"), std::string::npos);
  }
}

}  // namespace
}  // namespace pairbench
