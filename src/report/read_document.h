// Where a stored document comes from: a regular file, a pipe that somebody writes to, or "-" for
// standard input. Anything else (a folder, a device) is refused, so that nothing is waited for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/document.h"

namespace pairbench {

inline constexpr std::size_t kMostDocumentBytes = std::size_t{1} << 30;

// Reads a document, or a FILE.partial. Throws Error(failed, read).
ResultDocument read_document(const std::string& path);

// The same in two steps, for who needs the text as well. `name` stands in front of every complaint.
std::string read_document_text(const std::string& path);
ResultDocument parse_stored(std::string_view text, const std::string& name);

}  // namespace pairbench
