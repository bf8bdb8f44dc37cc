#include "transport/libfabric/hello.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <thread>
#include <utility>

#include "base/buffer.h"
#include "base/deadline.h"
#include "base/error.h"
#include "transport/libfabric/info.h"

namespace pairbench::libfabric {
namespace {

constexpr std::size_t kReceives = 16;
// A person waits here, not a measurement: leave the CPU to others.
constexpr std::chrono::microseconds kNap{100};

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

[[noreturn]] void refuse_address(std::string_view text, std::string cause) {
  throw Error(ExitStatus::usage, Phase::usage,
              fmt::format("'{}' is not an endpoint address", shortened(text)), std::move(cause),
              "copy the hexadecimal digits that the receiving 'pairbench hello' printed");
}

// The peer's text goes to a terminal: control characters would act there.
std::string printable(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    const auto c = std::to_integer<unsigned char>(byte);
    if (c < 0x20 || c == 0x7f)
      text += fmt::format("\\x{:02x}", c);
    else
      text += static_cast<char>(c);
  }
  return text;
}

// The other host chooses its own domain, so the command names the provider alone.
std::string transport_for_peer(const Device& device) {
  const std::string& opened = device.capabilities().opened;
  return opened.substr(0, opened.find('/'));
}

LocalSlice slot_of(const LocalSlice& whole, Token token) {
  return {whole.data + token * kMaxHelloBytes, kMaxHelloBytes, whole.key};
}

void post_receive(Endpoint& endpoint, const LocalSlice& whole, Token token) {
  if (endpoint.post_recv(slot_of(whole, token), token) == Post::busy)
    throw Error(ExitStatus::failed, Phase::open, "the receive queue is full");
}

bool is_efa(const Device& device) {
  return device.capabilities().provider == "efa";
}

[[noreturn]] void throw_not_completed(const Device& device, const AddressBlob& peer,
                                      std::chrono::nanoseconds patience) {
  Failure failure;
  failure.status = ExitStatus::peer;
  failure.phase = Phase::first_message;
  failure.message =
      fmt::format("the send did not complete in {} s ({})",
                  std::chrono::duration<double>(patience).count(), device.capabilities().opened);
  failure.cause = "no answer from the address";
  failure.hint = is_efa(device)
                     ? "the receiver must run, and the security group must allow all traffic to "
                       "and from itself, both directions"
                     : "the receiver must run, with the address it printed, and no firewall be "
                       "between";
  if (const Probe probe = device.probe(peer); probe.failure) {
    failure.cause = probe.failure->cause;
    failure.hint = probe.failure->hint;
  }
  throw Error(std::move(failure));
}

void require_same_kind(const Device& device, const AddressBlob& here, const AddressBlob& peer) {
  if (address_kind(here) == address_kind(peer)) return;
  throw_usage(fmt::format("the address is of kind {}, {} has addresses of kind {}",
                          address_kind(peer), device.capabilities().opened, address_kind(here)),
              "both sides must name the same provider with -t");
}

std::string ip_of(const sockaddr_storage& address, socklen_t length) {
  return ip_text(FI_SOCKADDR, &address, length);
}

}  // namespace

std::string format_address(const AddressBlob& address) {
  std::string text;
  for (const std::byte byte : address) text += fmt::format("{:02x}", std::to_integer<int>(byte));
  return text;
}

AddressBlob parse_address(std::string_view hex) {
  constexpr std::size_t kShortest = 8;  // bytes; IPv4 has 16, EFA 32, a name in shared memory more
  if (hex.empty()) refuse_address(hex, "it is empty");
  for (const char c : hex)
    if (hex_digit(c) < 0) refuse_address(hex, "it has other characters than hexadecimal digits");
  if (hex.size() % 2 != 0)
    refuse_address(hex, fmt::format("it has {} digits, and an even number is needed", hex.size()));
  if (hex.size() < 2 * kShortest)
    refuse_address(hex, fmt::format("{} digits are too few", hex.size()));
  AddressBlob address;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    address.push_back(static_cast<std::byte>(hex_digit(hex[i]) * 16 + hex_digit(hex[i + 1])));
  return address;
}

std::string address_kind(const AddressBlob& address) {
  constexpr std::string_view kShm = "fi_shm://";
  constexpr std::size_t kEfaLength = 32;
  sa_family_t family = AF_UNSPEC;
  if (address.size() >= sizeof family) std::memcpy(&family, address.data(), sizeof family);
  if (family == AF_INET && address.size() == sizeof(sockaddr_in)) return "IPv4";
  if (family == AF_INET6 && address.size() == sizeof(sockaddr_in6)) return "IPv6";
  if (address.size() > kShm.size() && std::memcmp(address.data(), kShm.data(), kShm.size()) == 0)
    return "shm";
  return address.size() == kEfaLength ? "EFA" : fmt::format("{} bytes", address.size());
}

std::optional<std::string> local_ip_towards(const AddressBlob& peer) {
  sockaddr_storage address{};
  if (peer.size() != sizeof(sockaddr_in) && peer.size() != sizeof(sockaddr_in6)) return {};
  std::memcpy(&address, peer.data(), peer.size());
  const bool ipv4 = address.ss_family == AF_INET && peer.size() == sizeof(sockaddr_in);
  const bool ipv6 = address.ss_family == AF_INET6 && peer.size() == sizeof(sockaddr_in6);
  if (!ipv4 && !ipv6) return {};
  // Connecting a datagram socket sends nothing: it only asks for the route.
  const int fd = socket(address.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return {};
  sockaddr_storage local{};
  socklen_t length = sizeof local;
  const auto peer_length = static_cast<socklen_t>(peer.size());
  const bool routed = connect(fd, reinterpret_cast<sockaddr*>(&address), peer_length) == 0 &&
                      getsockname(fd, reinterpret_cast<sockaddr*>(&local), &length) == 0;
  close(fd);
  if (!routed) return {};
  return ip_of(local, length);
}

std::size_t hello_receive(Device& device, const HelloLimits& limits, const Say& say,
                          const std::atomic<bool>& stop) {
  const Buffer buffer(kReceives * kMaxHelloBytes);
  const Region region = device.register_memory(buffer.bytes());
  Endpoint endpoint = device.make_endpoint(
      {.tx_depth = 1, .rx_depth = kReceives, .max_message_size = kMaxHelloBytes});
  for (Token token = 0; token < kReceives; ++token) post_receive(endpoint, region.local(), token);

  const std::string address = format_address(endpoint.address());
  say(fmt::format("receiving on {}", device.capabilities().opened));
  say(fmt::format("address {}", address));
  say("on the other host:");
  say(fmt::format("  pairbench hello -t {} {} \"hello\"", transport_for_peer(device), address));

  const Deadline deadline = limits.timeout ? Deadline::after(*limits.timeout) : Deadline::never();
  std::size_t received = 0;
  Completion message;
  const auto keep = [&](const Completion& completion) { message = completion; };
  while (!stop.load(std::memory_order_relaxed) && !deadline.passed() &&
         received < limits.messages.value_or(SIZE_MAX)) {
    if (endpoint.poll(1, keep) == 0) {
      std::this_thread::sleep_for(kNap);
      continue;
    }
    const auto* text = slot_of(region.local(), message.token).data;
    say(fmt::format("{} bytes: {}", message.byte_len, printable({text, message.byte_len})));
    ++received;
    post_receive(endpoint, region.local(), message.token);
  }
  return received;
}

void hello_send(Device& device, const AddressBlob& peer, std::string_view text, const Say& say,
                const std::atomic<bool>& stop, std::chrono::nanoseconds patience) {
  if (text.size() > kMaxHelloBytes)
    throw_usage(
        fmt::format("the text has {} bytes, a message takes {}", text.size(), kMaxHelloBytes));
  const Buffer buffer(kMaxHelloBytes);
  const Region region = device.register_memory(buffer.bytes());
  std::memcpy(buffer.bytes().data(), text.data(), text.size());
  Endpoint endpoint =
      device.make_endpoint({.tx_depth = 1, .rx_depth = 1, .max_message_size = kMaxHelloBytes});
  require_same_kind(device, endpoint.address(), peer);
  endpoint.connect(peer);

  const auto start = std::chrono::steady_clock::now();
  const Deadline deadline = Deadline::after(patience);
  const LocalSlice message = region.local().first(text.size());
  bool posted = false;
  // Until the connection stands the post is busy, and only polling brings it about.
  while (!stop.load(std::memory_order_relaxed) && !deadline.passed()) {
    posted = posted || endpoint.post_send(message, 0, Signal::yes) == Post::accepted;
    if (endpoint.poll(1, [](const Completion&) {}) > 0) {
      const std::chrono::duration<double, std::micro> took =
          std::chrono::steady_clock::now() - start;
      say(fmt::format(
          "sent {} bytes on {}; the send completed after {:.0f} us, connecting included",
          text.size(), device.capabilities().opened, took.count()));
      return;
    }
    std::this_thread::yield();
  }
  if (is_efa(device)) endpoint.abandon();  // its close waits for the send, for ever perhaps
  if (stop)
    throw Error(ExitStatus::peer, Phase::first_message, "stopped before the send completed");
  throw_not_completed(device, peer, patience);
}

}  // namespace pairbench::libfabric
