// The table's figures as Markdown tables, for an issue or a page.
#pragma once

#include <string>

#include "report/document.h"

namespace pairbench {

std::string render_markdown(const ResultDocument& document);

}  // namespace pairbench
