// One line a case, comma-separated (RFC 4180), units in the column names; what was not measured is
// empty.
#pragma once

#include <string>

#include "report/document.h"

namespace pairbench {

std::string render_csv(const ResultDocument& document);

}  // namespace pairbench
