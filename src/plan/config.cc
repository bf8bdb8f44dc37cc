#include "plan/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "base/error.h"

namespace pairbench {
namespace {

// Finds the enumerator whose name is `text`.
template <class Enum, std::size_t N>
Enum parse_name(std::string_view option, std::string_view text, const std::array<Enum, N>& all) {
  std::array<std::string_view, N> names;
  for (std::size_t i = 0; i < N; ++i) {
    names[i] = to_string(all[i]);
    if (text == names[i]) return all[i];
  }
  throw_usage(fmt::format("{}: '{}' is none of {}", option, text, fmt::join(names, ", ")));
}

}  // namespace

std::string_view to_string(Test test) {
  switch (test) {
    case Test::pingpong:
      return "pingpong";
    case Test::stream:
      return "stream";
    case Test::bistream:
      return "bistream";
  }
  return "?";
}

std::string_view to_string(CompletionMode mode) {
  switch (mode) {
    case CompletionMode::poll:
      return "poll";
    case CompletionMode::yield:
      return "yield";
    case CompletionMode::event:
      return "event";
  }
  return "?";
}

std::string_view to_string(Preset preset) {
  switch (preset) {
    case Preset::smoke:
      return "smoke";
    case Preset::quick:
      return "quick";
    case Preset::full:
      return "full";
  }
  return "?";
}

Test parse_test(std::string_view text) {
  return parse_name("--test", text, std::array{Test::pingpong, Test::stream, Test::bistream});
}

CompletionMode parse_completion_mode(std::string_view text) {
  return parse_name("--completion", text,
                    std::array{CompletionMode::poll, CompletionMode::yield, CompletionMode::event});
}

Preset parse_preset(std::string_view text) {
  return parse_name("--preset", text, std::array{Preset::smoke, Preset::quick, Preset::full});
}

}  // namespace pairbench
