// The grammars of sizes, lists of sizes and durations, and their printed forms.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pairbench {

// "64", "4K", "4k", "1M", "2G", "4KiB": an integer and a binary suffix. Refuses fractions, kB, hex,
// exponents, signs, blanks and what does not fit 63 bits. Throws a usage Error whose message names
// the text and what is accepted.
std::uint64_t parse_size(std::string_view text);

// "64", "64,4K,1M", "1:1M:x2" (1, 2, 4, … up to 1M), "0:64K:+4K"; "0:N:xF" is 0, 1, F, …. Sorted,
// duplicates merged, never empty, at most kMaxSizes entries. Throws as parse_size does.
inline constexpr std::size_t kMaxSizes = 4096;
std::vector<std::uint64_t> parse_size_list(std::string_view text);

// Decimal with ns, us, ms, s, m, h; a bare number means seconds: "50ms", "1.5", "2m". Must be
// positive and fit 63 bits of nanoseconds. Throws as parse_size does.
std::chrono::nanoseconds parse_duration(std::string_view text);

// A whole number without sign, suffix or blanks, within [low, high]. Throws as parse_size does.
std::uint64_t parse_count(std::string_view text, std::uint64_t low, std::uint64_t high);

// 8 -> "8", 4096 -> "4K", 1000 -> "1000", 1<<20 -> "1M": exact, in the grammar parse_size reads.
std::string format_size(std::uint64_t bytes);

// 10s, 50ms, 1.5s, 250us: short and exact enough to read, in the grammar parse_duration reads.
std::string format_duration(std::chrono::nanoseconds duration);

// A figure of about `digits` significant digits without an exponent for ordinary magnitudes: 7.231
// -> "7.23", 28.31 -> "28.3", 7210.4 -> "7210"; never a unit, never blanks inside.
std::string format_figure(double value, int digits = 3);

}  // namespace pairbench
