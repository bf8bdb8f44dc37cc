// A stored document or partial file, from anywhere: refused with a reason, or shown in every form
// and written so that it reads the same.
#include <string>

#include "fuzz/fuzz.h"
#include "report/document_json.h"
#include "report/partial.h"
#include "report/render.h"

namespace pairbench {
namespace {

constexpr Format kFormats[] = {Format::table, Format::csv, Format::markdown, Format::gbench,
                               Format::json};

ResultDocument read(std::string_view text) {
  return is_partial(text) ? parse_partial(text, "input") : parse_document(text, "input");
}

void take(std::string_view text) try {
  const ResultDocument document = read(text);
  for (const Format format : kFormats) render(document, format, true);
  const std::string written = document_text(document);
  promise(document_text(parse_document(written, "written")) == written,
          "a document is read as it was written");
} catch (const Error& error) {
  promise(error.failure().phase == Phase::read, "a refused document is a failure to read");
}

}  // namespace
}  // namespace pairbench

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pairbench::take(pairbench::as_text(data, size));
  return 0;
}
