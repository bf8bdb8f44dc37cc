// The environment variable FI_PROVIDER, by which a user limits what libfabric offers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pairbench::libfabric {

// Whether FI_PROVIDER with this value hides a provider: "tcp,shm" hides all others, "^tcp,shm"
// these. What hides the layer of a layered provider hides that. Pure.
bool hides(std::string_view filter, std::string_view provider);

// "FI_PROVIDER=^tcp", where it hides the provider.
std::optional<std::string> hiding_variable(std::string_view provider);

}  // namespace pairbench::libfabric
