#include "base/system_files.h"

#include <gtest/gtest.h>

#include "base/temp_dir.h"

namespace pairbench {
namespace {

TEST(ReadText, GivesTheWholeFile) {
  const test::TempDir dir;
  const std::string text(10000, 'x');
  EXPECT_EQ(read_text(dir.write("file", text)), text);
  EXPECT_EQ(read_text(dir.write("empty", "")), "");
}

TEST(ReadText, EndsInAnEndlessFile) {
  const auto text = read_text("/dev/zero");
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(text->size(), std::size_t{4} << 20);
}

TEST(ReadText, UnreadableIsNothing) {
  const test::TempDir dir;
  EXPECT_FALSE(read_text(dir.path() / "absent").has_value());
  EXPECT_FALSE(read_text(dir.path()).has_value());
}

TEST(ReadLine, IsTheFirstLineTrimmed) {
  const test::TempDir dir;
  EXPECT_EQ(read_line(dir.write("a", " tsc \nhpet\n")), "tsc");
  EXPECT_EQ(read_line(dir.write("b", "performance")), "performance");
  EXPECT_FALSE(read_line(dir.write("c", "\nsecond\n")).has_value());
  EXPECT_FALSE(read_line(dir.write("d", "")).has_value());
}

TEST(FindField, TakesTheFirstThatFits) {
  const std::string_view cpuinfo =
      "processor\t: 0\nmodel\t\t: 207\nmodel name\t: Some CPU: fast\nmodel name\t: Other\n";
  EXPECT_EQ(find_field(cpuinfo, "model name", ':'), "Some CPU: fast");
  EXPECT_EQ(find_field(cpuinfo, "model", ':'), "207");
  EXPECT_FALSE(find_field(cpuinfo, "microcode", ':').has_value());
}

TEST(FindField, RemovesQuotes) {
  EXPECT_EQ(find_field("NAME=x\nPRETTY_NAME=\"A Linux 12\"\n", "PRETTY_NAME", '='), "A Linux 12");
  EXPECT_EQ(find_field("K=\"", "K", '='), "\"");
  EXPECT_FALSE(find_field("K=\"\"", "K", '=').has_value());
  EXPECT_FALSE(find_field("K=", "K", '=').has_value());
  EXPECT_FALSE(find_field("K", "K", '=').has_value());
  EXPECT_FALSE(find_field("", "K", '=').has_value());
}

}  // namespace
}  // namespace pairbench
