#include "soft_efa/message_kind.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace pairbench::soft_efa {
namespace {

struct Kind {
  std::uint8_t type;
  Counter counter;
};

// Messages and tagged messages. Libfabric's prov/efa/docs/efa_rdm_protocol_v4.md, section 1.3,
// fixes the numbers for good.
constexpr std::array kKinds{
    Kind{3, Counter::clears_to_send}, Kind{4, Counter::cts_data},    Kind{7, Counter::ends_of_read},
    Kind{9, Counter::handshakes},     Kind{64, Counter::eager},      Kind{65, Counter::eager},
    Kind{66, Counter::medium},        Kind{67, Counter::medium},     Kind{68, Counter::long_cts},
    Kind{69, Counter::long_cts},      Kind{128, Counter::long_read}, Kind{129, Counter::long_read},
};
constexpr std::byte kVersion{4};
constexpr std::size_t kHeaderBytes = 4;

}  // namespace

std::optional<Counter> kind_of(std::span<const std::byte> message) {
  if (message.size() < kHeaderBytes || message[1] != kVersion) return std::nullopt;
  const auto* kind =
      std::ranges::find(kKinds, std::to_integer<std::uint8_t>(message[0]), &Kind::type);
  if (kind == kKinds.end()) return std::nullopt;
  return kind->counter;
}

}  // namespace pairbench::soft_efa
