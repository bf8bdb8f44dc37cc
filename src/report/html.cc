#include "report/html.h"

#include <nlohmann/json.hpp>

#include "report/json_text.h"

namespace pairbench {
namespace {

using Json = nlohmann::ordered_json;

// Within a script element "</script" and "<!--" have a meaning of their own. JSON has '<' in
// strings alone, where an escape stands for the same.
std::string without_markup(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json)
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  return out;
}

std::string page_data(const std::vector<PageDocument>& documents,
                      const std::vector<std::string>& comparisons) {
  Json files = Json::array();
  for (const PageDocument& document : documents)
    files.push_back({{"name", document.name}, {"text", document.text}});
  return without_markup(one_line({{"documents", files}, {"comparisons", comparisons}}));
}

}  // namespace

std::string render_page(std::string_view shell, const std::vector<PageDocument>& documents,
                        const std::vector<std::string>& comparisons) {
  constexpr std::string_view kPlace = "@data@";
  const std::size_t place = shell.find(kPlace);
  std::string page(shell.substr(0, place));
  page += page_data(documents, comparisons);
  return page.append(shell.substr(place + kPlace.size()));
}

}  // namespace pairbench
