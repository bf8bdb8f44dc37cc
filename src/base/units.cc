#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "base/error.h"

namespace pairbench {
namespace {

constexpr std::uint64_t kMax63 = std::numeric_limits<std::int64_t>::max();

struct Suffix {
  std::string_view name;
  std::uint64_t factor;
};
constexpr Suffix kSizeSuffixes[] = {
    {"G", std::uint64_t{1} << 30}, {"M", std::uint64_t{1} << 20}, {"K", 1024}};

constexpr std::uint64_t kMicrosecond = 1'000;
constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kMinute = 60 * kSecond;
constexpr std::uint64_t kHour = 60 * kMinute;
constexpr Suffix kDurationSuffixes[] = {{"ns", 1},      {"us", kMicrosecond}, {"ms", kMillisecond},
                                        {"s", kSecond}, {"m", kMinute},       {"h", kHour}};

[[noreturn]] void throw_not_size(std::string_view text) {
  throw_usage(
      fmt::format("'{}' is not a size: a whole number, then K, M or G if wanted, "
                  "below 2^63 (64, 4K, 4KiB, 1M)",
                  text));
}

[[noreturn]] void throw_not_list(std::string_view text, std::string_view why) {
  throw_usage(
      fmt::format("'{}' is not a list of sizes: {} (64,4K,1M; 1:1M:x2; 0:64K:+4K)", text, why));
}

[[noreturn]] void throw_not_duration(std::string_view text) {
  throw_usage(
      fmt::format("'{}' is not a duration: a positive decimal number, then ns, us, ms, s, "
                  "m or h; seconds without one (50ms, 1.5, 2m)",
                  text));
}

// Takes the digits that `text` starts with; nullopt without any and when they do not fit 64 bits.
std::optional<std::uint64_t> take_integer(std::string_view& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// The factor that a size's suffix stands for; nullopt for an unknown one.
std::optional<std::uint64_t> size_factor(std::string_view suffix) {
  if (suffix.empty()) return 1;
  if (suffix.size() != 1 && suffix.substr(1) != "iB") return std::nullopt;
  const char letter = suffix.front();
  for (const auto& [name, factor] : kSizeSuffixes) {
    if (letter == name.front() || letter == name.front() - 'A' + 'a') return factor;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> duration_factor(std::string_view suffix) {
  if (suffix.empty()) suffix = "s";
  for (const auto& [name, factor] : kDurationSuffixes) {
    if (suffix == name) return factor;
  }
  return std::nullopt;
}

// The decimal fraction 0.digits of a unit of `factor` nanoseconds; nullopt when finer than one.
std::optional<std::uint64_t> fraction_of(std::string_view digits, std::uint64_t factor) {
  std::uint64_t sum = 0;
  for (const char digit : digits) {
    const auto value = static_cast<std::uint64_t>(digit - '0');
    if (factor % 10 != 0 && value != 0) return std::nullopt;
    factor /= 10;
    sum += value * factor;
  }
  return sum;
}

// Takes ".5" off `text` and gives the "5".
std::string_view take_fraction(std::string_view& text) {
  constexpr std::string_view kDigits = "0123456789";
  if (!text.starts_with('.')) return {};
  const std::size_t end = std::min(text.find_first_not_of(kDigits, 1), text.size());
  const std::string_view digits = text.substr(1, end - 1);
  // A point without digits stays where it is and fails as a suffix.
  if (!digits.empty()) text.remove_prefix(end);
  return digits;
}

class SizeList {
 public:
  explicit SizeList(std::string_view text) : text_(text) {}

  void add_item(std::string_view item) {
    const std::size_t colon = item.find(':');
    if (colon == std::string_view::npos) return add(parse_size(item));
    const std::size_t second = item.find(':', colon + 1);
    if (second == std::string_view::npos) throw_not_list(text_, "a range is LOW:HIGH:xF or :+STEP");
    add_range(parse_size(item.substr(0, colon)),
              parse_size(item.substr(colon + 1, second - colon - 1)), item.substr(second + 1));
  }

  std::vector<std::uint64_t> sorted() const { return {sizes_.begin(), sizes_.end()}; }

 private:
  void add_range(std::uint64_t low, std::uint64_t high, std::string_view step) {
    if (low > high) throw_not_list(text_, "LOW is above HIGH");
    if (step.starts_with('x')) {
      add_geometric(low, high, factor_of(step.substr(1)));
    } else if (step.starts_with('+')) {
      add_arithmetic(low, high, parse_size(step.substr(1)));
    } else {
      throw_not_list(text_, "the step is xF or +STEP");
    }
  }

  std::uint64_t factor_of(std::string_view digits) {
    const std::optional<std::uint64_t> factor = take_integer(digits);
    if (!factor || *factor < 2 || !digits.empty()) throw_not_list(text_, "F is 2 or more");
    return *factor;
  }

  void add_geometric(std::uint64_t low, std::uint64_t high, std::uint64_t factor) {
    add(low);
    if (low == 0 && high > 0) add(low = 1);
    if (low == 0) return;
    while (low <= high / factor) add(low *= factor);
  }

  void add_arithmetic(std::uint64_t low, std::uint64_t high, std::uint64_t step) {
    if (step == 0) throw_not_list(text_, "the step is 0");
    add(low);
    while (high - low >= step) add(low += step);
  }

  void add(std::uint64_t size) {
    sizes_.insert(size);
    if (sizes_.size() > kMaxSizes) {
      throw_not_list(text_, fmt::format("more than {} sizes", kMaxSizes));
    }
  }

  std::string_view text_;
  std::set<std::uint64_t> sizes_;
};

std::uint64_t in_thousandths(std::uint64_t ns, std::uint64_t unit) {
  return (ns + unit / 2000) / (unit / 1000);
}

// Three decimals at most, none that are trailing zeros.
std::string decimal(std::uint64_t thousandths) {
  std::string out = fmt::format("{}.{:03}", thousandths / 1000, thousandths % 1000);
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out;
}

}  // namespace

std::uint64_t parse_size(std::string_view text) {
  std::string_view rest = text;
  const std::optional<std::uint64_t> number = take_integer(rest);
  const std::optional<std::uint64_t> factor = size_factor(rest);
  if (!number || !factor || *number > kMax63 / *factor) throw_not_size(text);
  return *number * *factor;
}

std::vector<std::uint64_t> parse_size_list(std::string_view text) {
  SizeList list(text);
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    if (item.empty()) throw_not_list(text, "an entry is empty");
    list.add_item(item);
    if (comma == std::string_view::npos) return list.sorted();
    rest.remove_prefix(comma + 1);
  }
}

std::chrono::nanoseconds parse_duration(std::string_view text) {
  std::string_view rest = text;
  const std::optional<std::uint64_t> whole = take_integer(rest);
  const std::string_view digits = take_fraction(rest);
  const std::optional<std::uint64_t> factor = duration_factor(rest);
  if (!whole || !factor || *whole > kMax63 / *factor) throw_not_duration(text);
  const std::optional<std::uint64_t> fraction = fraction_of(digits, *factor);
  if (!fraction || *fraction > kMax63 - *whole * *factor) throw_not_duration(text);
  const std::uint64_t ns = *whole * *factor + *fraction;
  if (ns == 0) throw_not_duration(text);
  return std::chrono::nanoseconds(static_cast<std::int64_t>(ns));
}

std::uint64_t parse_count(std::string_view text, std::uint64_t low, std::uint64_t high) {
  std::string_view rest = text;
  const std::optional<std::uint64_t> value = take_integer(rest);
  if (!value || !rest.empty() || *value < low || *value > high) {
    throw_usage(fmt::format("'{}' is not a whole number from {} to {}", text, low, high));
  }
  return *value;
}

std::string format_size(std::uint64_t bytes) {
  for (const auto& [name, factor] : kSizeSuffixes) {
    if (bytes != 0 && bytes % factor == 0) return fmt::format("{}{}", bytes / factor, name);
  }
  return fmt::format("{}", bytes);
}

std::string format_duration(std::chrono::nanoseconds duration) {
  const std::int64_t count = duration.count();
  const std::string_view sign = count < 0 ? "-" : "";
  const std::uint64_t ns =
      count < 0 ? 0 - static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count);
  if (ns == 0) return "0s";
  if (ns % kHour == 0) return fmt::format("{}{}h", sign, ns / kHour);
  if (ns % kMinute == 0) return fmt::format("{}{}m", sign, ns / kMinute);
  if (ns < kMicrosecond) return fmt::format("{}{}ns", sign, ns);
  for (const auto& [name, unit] : {Suffix{"us", kMicrosecond}, Suffix{"ms", kMillisecond}}) {
    const std::uint64_t thousandths = in_thousandths(ns, unit);
    if (thousandths < 1'000'000) return fmt::format("{}{}{}", sign, decimal(thousandths), name);
  }
  return fmt::format("{}{}s", sign, decimal(in_thousandths(ns, kSecond)));
}

std::string format_figure(double value, int digits) {
  constexpr int kSmallestExponent = -4;
  constexpr int kLargestExponent = 14;  // integers beyond 2^53 have digits that mean nothing
  if (!std::isfinite(value)) return "n/a";
  if (value == 0) return "0";
  std::string scientific = fmt::format("{:.{}e}", value, digits - 1);
  // The exponent after rounding: 9.996 is 10.0 in three digits.
  const int exponent = std::stoi(scientific.substr(scientific.find('e') + 1));
  if (exponent < kSmallestExponent || exponent > kLargestExponent) return scientific;
  return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - exponent));
}

}  // namespace pairbench
