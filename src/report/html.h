// Results as one page of HTML that needs nothing else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pairbench {

struct PageDocument {
  std::string name;  // a path; of it the page shows the last part
  std::string text;  // the document's JSON, which the page hands out again byte for byte
};

// Puts the documents and comparisons (JSON as of `pairbench compare --json`) into `shell`, as of
// page_shell(), in the place of its "@data@". Whatever the texts hold, it ends up as data: nothing
// in them is markup.
std::string render_page(std::string_view shell, const std::vector<PageDocument>& documents,
                        const std::vector<std::string>& comparisons);

}  // namespace pairbench
