#include "transport/libfabric/filter.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace pairbench::libfabric {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool is_named(std::string_view filter, std::string_view name) {
  return std::ranges::any_of(split(filter, ','), [&](std::string_view entry) {
    const auto layers = split(entry, ';');
    return std::ranges::find(layers, name) != layers.end();
  });
}

}  // namespace

bool hides(std::string_view filter, std::string_view provider) {
  const auto layers = split(provider, ';');
  if (filter.starts_with('^'))
    return std::ranges::any_of(
        layers, [&](std::string_view layer) { return is_named(filter.substr(1), layer); });
  return !filter.empty() && !is_named(filter, layers.front());
}

std::optional<std::string> hiding_variable(std::string_view provider) {
  const char* value = std::getenv("FI_PROVIDER");
  if (value == nullptr || !hides(value, provider)) return std::nullopt;
  return std::string("FI_PROVIDER=") + value;
}

}  // namespace pairbench::libfabric
