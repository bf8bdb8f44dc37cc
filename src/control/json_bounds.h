// What a peer's JSON may cost. Pure: no I/O.
#pragma once

#include <string_view>

namespace pairbench {

// Throws FormatError for text that is no JSON, is nested deeper than kMaxDepth, or has an object of
// more members than kMaxMembers (control/framing.h). Takes time in proportion to the text, whatever
// it says, and keeps nothing of it.
void require_bounded(std::string_view text);

}  // namespace pairbench
