// Texts of others on their way to a terminal.
#pragma once

#include <string>
#include <string_view>

namespace pairbench {

// Control characters (ASCII's, and in UTF-8 those from U+0080 to U+009F) become '?', which takes a
// line's end for one too unless `newline` says what stands for it.
std::string printable(std::string_view text, std::string_view newline = "?");

}  // namespace pairbench
