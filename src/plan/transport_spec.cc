#include "plan/transport_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/units.h"

namespace pairbench {
namespace {

constexpr std::string_view kForms =
    "inproc, libfabric[:PROVIDER[/DOMAIN]] or verbs[:DEVICE[/PORT[/GID_INDEX]]], each with an "
    "optional label= in front";

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw_usage(fmt::format("-t: '{}' is no transport: {}", text, why),
              fmt::format("use {}", kForms));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t start = 0;;) {
    const std::size_t end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

// "a" names one device for both ends, "a,b" the initiator's and the responder's.
void set_devices(TransportSpec& spec, std::string_view whole, const std::string& devices) {
  const auto pair = split(devices, ',');
  if (pair.size() > 2) refuse(whole, "at most two devices, the initiator's and the responder's");
  if (std::any_of(pair.begin(), pair.end(), [](const auto& name) { return name.empty(); }))
    refuse(whole, "a device name is empty");
  spec.device = pair.front();
  spec.peer_device = pair.back();
}

int parse_index(std::string_view whole, const std::string& text, std::string_view what) {
  try {
    return static_cast<int>(parse_count(text, 0, 255));
  } catch (const Error&) {
    refuse(whole, fmt::format("the {} '{}' is not a number from 0 to 255", what, text));
  }
}

void parse_libfabric(TransportSpec& spec, std::string_view whole, std::string_view rest) {
  const std::size_t slash = rest.find('/');
  spec.provider = rest.substr(0, slash);
  if (spec.provider.empty()) refuse(whole, "the provider is empty");
  std::replace(spec.provider.begin(), spec.provider.end(), '+', ';');
  // Everything behind the first slash is the domain: some providers' domain names contain slashes.
  if (slash != std::string_view::npos)
    set_devices(spec, whole, std::string(rest.substr(slash + 1)));
}

void parse_verbs(TransportSpec& spec, std::string_view whole, std::string_view rest) {
  const auto parts = split(rest, '/');
  if (parts.size() > 3) refuse(whole, "too many parts");
  set_devices(spec, whole, parts[0]);
  if (parts.size() > 1) spec.port = parse_index(whole, parts[1], "port");
  if (parts.size() > 2) spec.gid_index = parse_index(whole, parts[2], "GID index");
}

bool is_visible(unsigned char character) {
  return character > ' ' && character != 0x7f;
}

// libfabric's ';' as '+', which no shell takes for its own.
std::string canonical(std::string_view text) {
  std::string result(text);
  if (!text.starts_with("libfabric:")) return result;
  const auto provider_end = static_cast<std::ptrdiff_t>(std::min(text.find('/'), text.size()));
  std::replace(result.begin(), result.begin() + provider_end, ';', '+');
  return result;
}

}  // namespace

std::string_view to_string(TransportKind kind) {
  switch (kind) {
    case TransportKind::inproc:
      return "inproc";
    case TransportKind::libfabric:
      return "libfabric";
    case TransportKind::verbs:
      return "verbs";
  }
  return "?";
}

TransportSpec parse_transport(std::string_view text) {
  TransportSpec spec;
  const std::size_t equals = text.find('=');
  const std::string_view body = equals == std::string_view::npos ? text : text.substr(equals + 1);
  spec.text = canonical(body);
  spec.label = equals == std::string_view::npos ? spec.text : std::string(text.substr(0, equals));
  if (spec.label.empty()) refuse(text, "the label is empty");
  if (body.find('=') != std::string_view::npos) refuse(text, "it has a second '='");
  if (!std::ranges::all_of(text, is_visible)) refuse(text, "it contains blanks");

  const std::size_t colon = body.find(':');
  const std::string_view kind = body.substr(0, colon);
  const bool has_rest = colon != std::string_view::npos;
  const std::string_view rest = has_rest ? body.substr(colon + 1) : std::string_view{};
  if (kind == "inproc") {
    if (has_rest) refuse(text, "inproc takes nothing behind it");
    spec.kind = TransportKind::inproc;
  } else if (kind == "libfabric") {
    spec.kind = TransportKind::libfabric;
    if (has_rest) parse_libfabric(spec, text, rest);
  } else if (kind == "verbs") {
    spec.kind = TransportKind::verbs;
    if (has_rest) parse_verbs(spec, text, rest);
  } else if (kind == "verbs-srd") {
    refuse(text, "verbs-srd is reserved");
  } else {
    refuse(text, fmt::format("unknown kind '{}'", kind));
  }
  return spec;
}

}  // namespace pairbench
