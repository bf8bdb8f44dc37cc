// Where a queue pair meets the wire: a datagram socket named after GID and queue pair number. The
// kernel gives each name once, so numbers are unique among all processes, and takes it back when a
// process dies; what is sent to a name that nobody has is refused.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "soft_efa/packet.h"

namespace pairbench::soft_efa {

enum class Delivery : std::uint8_t { sent, full, nobody };

// A socket or another descriptor, closed at the end.
class Descriptor {
 public:
  // Throws std::system_error for a negative number, with errno.
  explicit Descriptor(int number);
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }

 private:
  int number_;
};

// Not safe for several threads at once. Nothing here waits, and only the constructor allocates.
class Port {
 public:
  // Takes a free number. Throws std::system_error when there is none.
  explicit Port(const ibv_gid& gid);

  const Address& address() const { return address_; }
  // Readable when a packet is there.
  int descriptor() const { return socket_.get(); }

  // Full: the receiver's or our own buffer; to be tried again. Pieces of the payload: at most
  // kMaxPieces.
  Delivery send(const Address& to, PacketHeader header, std::span<const iovec> payload = {});

  struct Packet {
    PacketHeader header;
    std::span<const std::byte> payload;  // until the next call
  };
  std::optional<Packet> receive();

  // Whether there is such a queue pair now. Sends nothing.
  bool reaches(const Address& to);

 private:
  Address address_;
  Descriptor socket_;
  Descriptor probe_;
  std::vector<std::byte> buffer_;
};

}  // namespace pairbench::soft_efa
