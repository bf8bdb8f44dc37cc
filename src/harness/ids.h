// Names that no other run has.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pairbench {

// From the kernel's random source. Throws Error(failed) where that fails.
std::vector<std::byte> random_bytes(std::size_t count);
std::string make_uuid();  // version 4

std::string to_hex(const std::vector<std::byte>& bytes);
std::vector<std::byte> from_hex(const std::string& text);  // throws Error(peer, hello)

// RFC 3339, UTC, whole seconds.
std::string now_rfc3339();

}  // namespace pairbench
