#include "soft_efa/port.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "soft_efa/device.h"

namespace pairbench::soft_efa {
namespace {

constexpr std::uint32_t kMagic = 0x53454632;  // changes with the header
constexpr std::size_t kMaxPacketBytes = sizeof(PacketHeader) + kSegmentBytes;

// An abstract name (it begins with a zero byte): no file is left behind.
struct SocketName {
  sockaddr_un address{};
  socklen_t length = 0;

  explicit SocketName(const Address& to) {
    address.sun_family = AF_UNIX;
    char* text = address.sun_path + 1;
    text = std::copy_n("soft-efa/", 9, text);
    for (const std::uint8_t byte : to.gid.raw) text += std::snprintf(text, 3, "%02x", byte);
    text += std::snprintf(text, 8, "/%u", static_cast<unsigned>(to.queue_pair));
    length = static_cast<socklen_t>(text - reinterpret_cast<char*>(&address));
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address); }
};

int datagram_socket() {
  return socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

// Numbers are taken in turn and not the lowest first, so that a late packet seldom finds another
// queue pair under its number.
std::uint16_t bind_free_number(int socket, const ibv_gid& gid) {
  static std::atomic<unsigned> turn{static_cast<unsigned>(getpid()) * 61};
  for (int tries = 1; tries < kMaxQueuePairs; ++tries) {
    const auto number = static_cast<std::uint16_t>(1 + ++turn % (kMaxQueuePairs - 1));
    const SocketName name({gid, number});
    if (bind(socket, name.get(), name.length) == 0) return number;
  }
  throw std::system_error(ENOSPC, std::generic_category(), "no free queue pair number");
}

}  // namespace

Descriptor::Descriptor(int number) : number_(number) {
  if (number < 0) throw std::system_error(errno, std::generic_category());
}

Descriptor::~Descriptor() {
  close(number_);
}

Port::Port(const ibv_gid& gid)
    : address_{gid, 0},
      socket_(datagram_socket()),
      probe_(datagram_socket()),
      buffer_(kMaxPacketBytes) {
  constexpr int kSendBuffer = 4 << 20;  // where the system allows it
  setsockopt(socket_.get(), SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof kSendBuffer);
  address_.queue_pair = bind_free_number(socket_.get(), gid);
}

Delivery Port::send(const Address& to, PacketHeader header, std::span<const iovec> payload) {
  header.magic = kMagic;
  header.source = address_;
  std::array<iovec, 1 + kMaxPieces> parts{iovec{&header, sizeof header}};
  std::ranges::copy(payload, parts.begin() + 1);
  SocketName name(to);
  msghdr message{};
  message.msg_name = &name.address;
  message.msg_namelen = name.length;
  message.msg_iov = parts.data();
  message.msg_iovlen = 1 + payload.size();
  if (sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return Delivery::sent;
  const bool nobody = errno == ECONNREFUSED || errno == ENOENT;
  return nobody ? Delivery::nobody : Delivery::full;
}

std::optional<Port::Packet> Port::receive() {
  const ssize_t size = recv(socket_.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
  Packet packet{};
  if (size < static_cast<ssize_t>(sizeof packet.header)) return std::nullopt;
  std::memcpy(&packet.header, buffer_.data(), sizeof packet.header);
  if (packet.header.magic != kMagic) return std::nullopt;
  packet.payload =
      std::span(buffer_).first(static_cast<std::size_t>(size)).subspan(sizeof packet.header);
  return packet;
}

bool Port::reaches(const Address& to) {
  const SocketName name(to);
  return connect(probe_.get(), name.get(), name.length) == 0 || errno != ECONNREFUSED;
}

}  // namespace pairbench::soft_efa
