// The grammars of the command line: what is accepted is accepted again in its canonical form and
// means the same; everything else is a usage error.
#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/units.h"
#include "control/endpoint_name.h"
#include "fuzz/fuzz.h"
#include "plan/transport_spec.h"

namespace pairbench {
namespace {

// nullopt: refused, with a sentence.
template <class Parse>
auto accepted(Parse parse) -> std::optional<decltype(parse())> {
  try {
    return parse();
  } catch (const Error& error) {
    promise(error.failure().status == ExitStatus::usage, "what is refused is a usage error");
    promise(!error.failure().message.empty(), "a refusal says why");
    return std::nullopt;
  }
}

void sizes(std::string_view text) {
  if (const auto size = accepted([&] { return parse_size(text); }))
    promise(parse_size(format_size(*size)) == *size, "a size is read as it is printed");
  if (const auto list = accepted([&] { return parse_size_list(text); })) {
    promise(!list->empty() && list->size() <= kMaxSizes, "a list of sizes is bounded");
    for (std::size_t i = 1; i < list->size(); ++i)
      promise((*list)[i - 1] < (*list)[i], "a list of sizes is sorted and merged");
  }
}

void durations_and_counts(std::string_view text) {
  if (const auto duration = accepted([&] { return parse_duration(text); })) {
    promise(duration->count() > 0, "a duration is positive");
    // Rounding may lift the very longest above what 63 bits hold.
    promise(
        *duration > std::chrono::years(1) || parse_duration(format_duration(*duration)).count() > 0,
        "a duration is read as it is printed");
  }
  if (const auto count = accepted([&] { return parse_count(text, 1, 1000); }))
    promise(*count >= 1 && *count <= 1000, "a count is within its limits");
}

void transports(std::string_view text) {
  const auto spec = accepted([&] { return parse_transport(text); });
  if (!spec) return;
  const auto visible = [](unsigned char c) { return c > ' ' && c != 0x7f; };
  promise(std::ranges::all_of(spec->label + spec->text, visible), "a label can be shown");
  TransportSpec again = parse_transport(spec->text);
  again.label = spec->label;
  promise(again == *spec, "a transport is read as it is printed");
}

void endpoint_names(std::string_view text) {
  if (const auto name = accepted([&] { return parse_endpoint_name(text); }))
    promise(parse_endpoint_name(to_string(*name)) == *name, "HOST:PORT is read as it is printed");
}

}  // namespace
}  // namespace pairbench

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = pairbench::as_text(data, size);
  pairbench::sizes(text);
  pairbench::durations_and_counts(text);
  pairbench::transports(text);
  pairbench::endpoint_names(text);
  return 0;
}
