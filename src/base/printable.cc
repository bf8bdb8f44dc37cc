#include "base/printable.h"

namespace pairbench {

std::string printable(std::string_view text, std::string_view newline) {
  constexpr unsigned char kLead = 0xc2;  // of U+0080 to U+00BF, the second byte is the number
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (byte == '\n') {
      out += newline;
    } else if (byte == kLead && next >= 0x80 && next < 0xa0) {
      out += '?';
      ++i;
    } else {
      out += byte < 0x20 || byte == 0x7f ? '?' : text[i];
    }
  }
  return out;
}

}  // namespace pairbench
