#include "base/system_files.h"

#include <fstream>

namespace pairbench {
namespace {

constexpr std::size_t kLongestFile = std::size_t{4} << 20;

std::optional<std::string> non_empty(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return std::string(text);
}

std::string_view unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// Takes the next line off `text`.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<std::string> read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text;
  char chunk[4096];
  while (text.size() < kLongestFile && (file.read(chunk, sizeof chunk) || file.gcount() > 0)) {
    text.append(chunk, static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) return std::nullopt;
  return text;
}

std::optional<std::string> read_line(const std::filesystem::path& path) {
  const std::optional<std::string> text = read_text(path);
  if (!text) return std::nullopt;
  std::string_view rest = *text;
  return non_empty(trimmed(take_line(rest)));
}

std::optional<std::string> find_field(std::string_view text, std::string_view key, char separator) {
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (!line.starts_with(key)) continue;
    const std::string_view rest = trimmed(line.substr(key.size()));
    if (!rest.starts_with(separator)) continue;
    return non_empty(trimmed(unquoted(trimmed(rest.substr(1)))));
  }
  return std::nullopt;
}

}  // namespace pairbench
