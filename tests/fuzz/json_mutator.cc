// How libFuzzer changes an input that is lines of JSON: half the time a value anywhere in one line
// is replaced, doubled or removed, so that the text stays JSON; else bytes change as they always
// do.
#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "fuzz/fuzz.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using Json = nlohmann::ordered_json;
using Random = std::minstd_rand;

std::size_t below(std::size_t limit, Random& random) {
  return random() % limit;
}

// Containers alone: what is changed is one of their elements.
void collect(Json& value, std::vector<Json*>& containers) {
  if (!value.is_structured()) return;
  if (!value.empty()) containers.push_back(&value);
  for (auto& element : value) collect(element, containers);
}

Json odd_value(Random& random) {
  static const std::vector<Json> values = {nullptr,
                                           0,
                                           -1,
                                           1,
                                           1e308,
                                           -0.5,
                                           INT64_MIN,
                                           UINT64_MAX,
                                           2147483648u,
                                           true,
                                           false,
                                           "",
                                           "unlimited",
                                           std::string(70, 'x'),
                                           "ok",
                                           Json::array(),
                                           Json::object(),
                                           1e-300};
  return values[below(values.size(), random)];
}

void change(Json& container, Random& random) {
  const auto chosen =
      std::next(container.begin(), static_cast<std::ptrdiff_t>(below(container.size(), random)));
  switch (below(3, random)) {
    case 0:
      container.erase(chosen);
      return;
    case 1:
      if (container.is_array()) {
        const Json again = *chosen;
        container.push_back(again);
        return;
      }
      [[fallthrough]];
    default:
      *chosen = odd_value(random);
  }
}

// Empty where the line is no JSON.
std::string changed(const std::string& line, Random& random) {
  Json whole = Json::parse(line, nullptr, false);
  if (whole.is_discarded()) return {};
  std::vector<Json*> containers;
  collect(whole, containers);
  if (containers.empty()) return {};
  change(*containers[below(containers.size(), random)], random);
  return whole.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  Random random(seed);
  std::string text(pairbench::as_text(data, size));
  const std::size_t start = text.empty() ? 0 : text.rfind('\n', below(text.size(), random)) + 1;
  const std::size_t end = std::min(text.find('\n', start), text.size());
  const std::string line = changed(text.substr(start, end - start), random);
  if (line.empty() || below(2, random) == 0) return LLVMFuzzerMutate(data, size, max_size);
  text.replace(start, end - start, line);
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
