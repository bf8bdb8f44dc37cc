#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <vector>

#include "base/error.h"
#include "transport/libfabric/hello.h"
#include "transport/libfabric/info.h"

namespace pairbench::libfabric {
namespace {

using namespace std::chrono_literals;

// Collects lines from one thread, and lets another wait for the address among them.
class Listener {
 public:
  Say say() {
    return [this](const std::string& line) {
      const std::lock_guard lock(mutex_);
      lines_.push_back(line);
      if (line.starts_with(kAddress)) address_.set_value(line.substr(kAddress.size()));
    };
  }
  std::future<std::string> address() { return address_.get_future(); }
  std::string text() const {
    const std::lock_guard lock(mutex_);
    std::string all;
    for (const std::string& line : lines_) all += line + "\n";
    return all;
  }

 private:
  static constexpr std::string_view kAddress = "address ";
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
  std::promise<std::string> address_;
};

class Hello : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!query(GetParam())) GTEST_SKIP() << "libfabric offers no provider " << GetParam();
  }
  Request request() const { return {.provider = GetParam(), .local_ip = "127.0.0.1"}; }
};

TEST_P(Hello, MessagesArriveWithLengthAndText) {
  Listener listener;
  auto address = listener.address();
  const std::atomic<bool> go_on = false;
  auto receiver = std::async(std::launch::async, [&] {
    Device device(request());
    return hello_receive(device, {.messages = 20, .timeout = 30s}, listener.say(), go_on);
  });
  ASSERT_EQ(address.wait_for(30s), std::future_status::ready);
  const AddressBlob peer = parse_address(address.get());

  Device device(request());
  std::string said;
  // More than there are receives: each is posted again.
  for (int i = 0; i < 20; ++i)
    hello_send(
        device, peer, i == 0 ? "hi there\n" : "", [&](const auto& line) { said += line; }, go_on);
  EXPECT_EQ(receiver.get(), 20u);
  EXPECT_NE(listener.text().find("9 bytes: hi there\\x0a\n"), std::string::npos) << listener.text();
  EXPECT_NE(listener.text().find("0 bytes: \n"), std::string::npos) << listener.text();
  EXPECT_NE(said.find("sent 9 bytes"), std::string::npos) << said;
}

INSTANTIATE_TEST_SUITE_P(Providers, Hello, testing::Values("tcp", "shm"),
                         [](const auto& provider) { return provider.param; });

class HelloTcp : public testing::Test {
 protected:
  void SetUp() override {
    if (!query("tcp")) GTEST_SKIP() << "libfabric offers no tcp provider here";
    device_.emplace(Request{.provider = "tcp", .local_ip = "127.0.0.1"});
  }
  std::optional<Device> device_;
  Listener listener_;
};

TEST_F(HelloTcp, PrintsAddressAndTheOtherSidesCommand) {
  const std::atomic<bool> stop = true;
  EXPECT_EQ(hello_receive(*device_, {}, listener_.say(), stop), 0u);
  const std::string address = listener_.address().get();
  EXPECT_EQ(address.find_first_not_of("0123456789abcdef"), std::string::npos) << address;
  const std::string command =
      "pairbench hello -t libfabric:" + printed(device_->capabilities().provider) + " " + address +
      " \"hello\"";
  EXPECT_NE(listener_.text().find(command), std::string::npos) << listener_.text();
}

TEST_F(HelloTcp, ReceivingEndsAtItsTimeout) {
  const std::atomic<bool> go_on = false;
  EXPECT_EQ(hello_receive(*device_, {.timeout = 20ms}, listener_.say(), go_on), 0u);
}

TEST_F(HelloTcp, SendingToNobodyIsAnError) {
  AddressBlob address;
  {
    Endpoint gone = device_->make_endpoint({});
    address = gone.address();
  }
  const std::atomic<bool> go_on = false;
  try {
    hello_send(*device_, address, "x", listener_.say(), go_on, 300ms);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().status, ExitStatus::peer) << describe(error.failure());
    EXPECT_FALSE(error.failure().hint.empty());
  }
}

TEST_F(HelloTcp, ATextThatIsTooLongIsAUsageError) {
  const std::atomic<bool> go_on = false;
  const std::string text(kMaxHelloBytes + 1, 'x');
  try {
    hello_send(*device_, {}, text, listener_.say(), go_on);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().status, ExitStatus::usage);
  }
}

TEST_F(HelloTcp, AnAddressOfAnotherKindIsAUsageError) {
  const std::atomic<bool> go_on = false;
  try {
    hello_send(*device_, parse_address("66695f73686d3a2f2f313a3100"), "x", listener_.say(), go_on);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().status, ExitStatus::usage);
    EXPECT_NE(error.failure().message.find("kind shm"), std::string::npos);
  }
}

TEST(HelloAddress, ShowsItsKind) {
  EXPECT_EQ(address_kind(parse_address("020012347f0000010000000000000000")), "IPv4");
  EXPECT_EQ(address_kind(AddressBlob(32)), "EFA");
  EXPECT_EQ(address_kind(parse_address("66695f73686d3a2f2f313a3100")), "shm");
  EXPECT_EQ(address_kind(AddressBlob(5)), "5 bytes");
}

TEST(HelloAddress, IsLowerCaseHexBothWays) {
  AddressBlob address(8);
  address[0] = std::byte{0x02};
  address[2] = std::byte{0xfe};
  address[7] = std::byte{0x9a};
  EXPECT_EQ(format_address(address), "0200fe000000009a");
  EXPECT_EQ(parse_address("0200fe000000009a"), address);
  EXPECT_EQ(parse_address("0200FE000000009A"), address);
}

TEST(HelloAddress, SaysWhyATextIsNone) {
  const std::string digits(16, '0');
  for (const auto& [text, cause] : {
           std::pair{std::string(), "it is empty"},
           std::pair{digits + "0", "it has 17 digits, and an even number is needed"},
           std::pair{digits + " 0", "it has other characters than hexadecimal digits"},
           std::pair{"0x" + digits, "it has other characters than hexadecimal digits"},
           std::pair{std::string("0200"), "4 digits are too few"},
       }) {
    try {
      parse_address(text);
      FAIL() << "took '" << text << "'";
    } catch (const Error& error) {
      EXPECT_EQ(error.failure().status, ExitStatus::usage);
      EXPECT_EQ(error.failure().message, "'" + text + "' is not an endpoint address");
      EXPECT_EQ(error.failure().cause, cause);
    }
  }
}

TEST(HelloAddress, LeadsToTheInterfaceOfItsRoute) {
  // 127.0.0.1, port 4660, as a socket address
  const AddressBlob loopback = parse_address("020012347f0000010000000000000000");
  EXPECT_EQ(local_ip_towards(loopback), "127.0.0.1");
  EXPECT_EQ(local_ip_towards(parse_address("66695f73686d3a2f2f3100")), std::nullopt);
}

}  // namespace
}  // namespace pairbench::libfabric
