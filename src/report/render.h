// One document, many views.
#pragma once

#include <string>
#include <string_view>

#include "report/document.h"

namespace pairbench {

enum class Format { table, csv, markdown, gbench, json };

std::string_view to_string(Format format);  // "table", "csv", "md", "gbench", "json"
// The inverse; throws a usage Error that lists the names.
Format parse_format(std::string_view text);

// Whole lines. `verbose` shows all warnings of a table.
std::string render(const ResultDocument& document, Format format, bool verbose = false);

}  // namespace pairbench
