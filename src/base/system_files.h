// Small text files of procfs and sysfs, read with suspicion.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace pairbench {

// The file's first 4 MiB; nullopt where it cannot be opened or read (a directory, no permission).
std::optional<std::string> read_text(const std::filesystem::path& path);

// The first line without the blanks around it; nullopt where that is empty or the file unreadable.
std::optional<std::string> read_line(const std::filesystem::path& path);

// What follows `key` and `separator` on the first line that starts with `key`, blanks and one pair
// of double quotes removed: ("model name", ':') in /proc/cpuinfo, ("PRETTY_NAME", '=') in
// os-release.
std::optional<std::string> find_field(std::string_view text, std::string_view key, char separator);

// `text` without leading and trailing blanks and control characters.
std::string_view trimmed(std::string_view text);

}  // namespace pairbench
