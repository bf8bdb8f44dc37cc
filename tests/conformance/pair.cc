#include "conformance/pair.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace pairbench::conformance {
namespace {

std::byte pattern(std::size_t place, unsigned seed) {
  return static_cast<std::byte>((place * 131 + place / 251 + seed * 17 + 1) & 0xff);
}

}  // namespace

LocalSlice Side::slice(std::size_t offset, std::size_t size) const {
  const LocalSlice all = memory();
  return {all.data + offset, size, all.key};
}

std::size_t Side::count(CompletionKind kind) const {
  return static_cast<std::size_t>(std::ranges::count(completions_, kind, &Completion::kind));
}

std::optional<Completion> Side::only(CompletionKind kind) const {
  if (count(kind) != 1) return std::nullopt;
  return *std::ranges::find(completions_, kind, &Completion::kind);
}

void fill(const LocalSlice& slice, unsigned seed) {
  for (std::size_t i = 0; i < slice.size; ++i) slice.data[i] = pattern(i, seed);
}

bool holds(const LocalSlice& slice, unsigned seed) {
  for (std::size_t i = 0; i < slice.size; ++i)
    if (slice.data[i] != pattern(i, seed)) return false;
  return true;
}

void write_number(const LocalSlice& slice, std::uint64_t number) {
  std::memcpy(slice.data, &number, sizeof number);
}

std::uint64_t read_number(const LocalSlice& slice) {
  std::uint64_t number = 0;
  std::memcpy(&number, slice.data, sizeof number);
  return number;
}

}  // namespace pairbench::conformance
