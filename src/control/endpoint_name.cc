#include "control/endpoint_name.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"

namespace pairbench {
namespace {

constexpr std::size_t kLongestName = 255;

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw_usage(fmt::format("'{}' does not name a host: {}", text, why),
              "HOST, HOST:PORT, ADDRESS:PORT or [IPv6]:PORT");
}

bool is_plain(std::string_view name) {
  return name.find_first_of("[]/") == std::string_view::npos &&
         std::ranges::all_of(name, [](char c) { return c > ' ' && c != 0x7f; });
}

bool is_ipv6(std::string_view host) {
  const std::size_t scope = host.find('%');
  if (scope != std::string_view::npos && scope + 1 == host.size()) return false;
  if (!is_plain(host)) return false;
  in6_addr address{};
  return inet_pton(AF_INET6, std::string(host.substr(0, scope)).c_str(), &address) == 1;
}

std::uint16_t parse_port(std::string_view text, std::string_view digits) {
  std::uint16_t port = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, port);
  if (error != std::errc() || stop != end || port == 0)
    refuse(text, "the port must be a number of 1 to 65535");
  return port;
}

EndpointName parse_bracketed(std::string_view text) {
  const std::size_t close = text.find(']');
  if (close == std::string_view::npos) refuse(text, "']' is missing");
  const std::string_view host = text.substr(1, close - 1);
  const std::string_view rest = text.substr(close + 1);
  if (!is_ipv6(host)) refuse(text, "an IPv6 address belongs between the brackets");
  EndpointName name{std::string(host)};
  if (rest.empty()) return name;
  if (rest.front() != ':') refuse(text, "only ':PORT' may follow ']'");
  name.port = parse_port(text, rest.substr(1));
  return name;
}

void check_host(std::string_view text, std::string_view host) {
  if (host.empty()) refuse(text, "the host is missing");
  if (host.size() > kLongestName) refuse(text, "the host is too long");
  if (!is_plain(host)) refuse(text, "a character that no host name has");
  if (host.front() == '-') refuse(text, "it looks like an option");
}

}  // namespace

EndpointName parse_endpoint_name(std::string_view text) {
  if (text.starts_with('[')) return parse_bracketed(text);
  if (is_ipv6(text)) return {std::string(text)};
  const std::size_t colon = text.find(':');
  const std::string_view host = text.substr(0, colon);
  check_host(text, host);
  if (colon == std::string_view::npos) return {std::string(host)};
  const std::string_view port = text.substr(colon + 1);
  if (port.find(':') != std::string_view::npos)
    refuse(text, "an IPv6 address with a port is written [ADDRESS]:PORT");
  return {std::string(host), parse_port(text, port)};
}

std::string to_string(const EndpointName& name) {
  const bool bracketed = name.host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", bracketed ? "[" : "", name.host, bracketed ? "]" : "", name.port);
}

}  // namespace pairbench
