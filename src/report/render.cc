#include "report/render.h"

#include <fmt/format.h>

#include "base/error.h"
#include "report/csv.h"
#include "report/document_json.h"
#include "report/gbench.h"
#include "report/markdown.h"
#include "report/table.h"

namespace pairbench {

std::string_view to_string(Format format) {
  switch (format) {
    case Format::table:
      return "table";
    case Format::csv:
      return "csv";
    case Format::markdown:
      return "md";
    case Format::gbench:
      return "gbench";
    case Format::json:
      return "json";
  }
  return "?";
}

Format parse_format(std::string_view text) {
  for (const Format format :
       {Format::table, Format::csv, Format::markdown, Format::gbench, Format::json})
    if (to_string(format) == text) return format;
  throw_usage(fmt::format("--format: '{}' is no format", text),
              "use table, csv, md, gbench or json");
}

std::string render(const ResultDocument& document, Format format, bool verbose) {
  switch (format) {
    case Format::table:
      return render_table(document, verbose);
    case Format::csv:
      return render_csv(document);
    case Format::markdown:
      return render_markdown(document);
    case Format::gbench:
      return render_gbench(document);
    case Format::json:
      return document_text(document);
  }
  return {};
}

}  // namespace pairbench
