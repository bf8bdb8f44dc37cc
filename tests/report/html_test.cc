#include "report/html.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/document_json.h"
#include "report/samples.h"

namespace pairbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kShell = "<script id=data>@data@</script><p>@data</p>";
constexpr std::string_view kBefore = "<script id=data>";
constexpr std::string_view kAfter = "</script><p>@data</p>";

// What a browser takes for the content of the element.
std::string data_of(const std::string& page) {
  return page.substr(kBefore.size(), page.size() - kBefore.size() - kAfter.size());
}

Json parsed(const std::string& page) {
  return Json::parse(data_of(page));
}

TEST(Html, TheShellStaysAroundTheData) {
  const std::string page = render_page(kShell, {}, {});
  EXPECT_EQ(page.substr(0, kBefore.size()), kBefore);
  EXPECT_EQ(page.substr(page.size() - kAfter.size()), kAfter);
  EXPECT_EQ(parsed(page), Json::parse(R"({"documents": [], "comparisons": []})"));
}

TEST(Html, DocumentsComeBackByteForByte) {
  std::vector<PageDocument> documents = {
      {"a.json", document_text(samples::two_hosts())},
      {"b.json", "\xEF\xBB\xBF{\r\n\t\"\xE2\x80\xA8\\u2028\": \"\\\"\xF0\x9F\x98\x80\x7F\"}\n"}};
  const Json data = parsed(render_page(kShell, documents, {}));
  ASSERT_EQ(data["documents"].size(), documents.size());
  for (std::size_t i = 0; i < documents.size(); ++i) {
    EXPECT_EQ(data["documents"][i]["name"], documents[i].name);
    EXPECT_EQ(data["documents"][i]["text"], documents[i].text);
  }
}

TEST(Html, NothingInADocumentEndsTheElement) {
  const std::string hostile =
      R"({"a": "</script><script>alert(1)</script><!-- <SCRIPT ]]> @data@"})";
  const std::string page =
      render_page(kShell, {{"</script>.json", hostile}}, {R"({"name": "</ScRiPt>"})"});
  EXPECT_EQ(data_of(page).find('<'), std::string::npos);
  const Json data = parsed(page);
  EXPECT_EQ(data["documents"][0]["text"], hostile);
  EXPECT_EQ(data["documents"][0]["name"], "</script>.json");
  EXPECT_EQ(data["comparisons"][0], R"({"name": "</ScRiPt>"})");
}

TEST(Html, ANameThatIsNoUtf8IsStillShown) {
  const Json data = parsed(render_page(kShell, {{"r\xFF.json", "{}"}}, {}));
  EXPECT_EQ(data["documents"][0]["name"], "r\xEF\xBF\xBD.json");
}

}  // namespace
}  // namespace pairbench
