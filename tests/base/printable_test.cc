#include "base/printable.h"

#include <gtest/gtest.h>

namespace pairbench {
namespace {

TEST(Printable, LeavesNoControlCharacter) {
  EXPECT_EQ(printable("a\x1b[31mb\r\t\x7f"), "a?[31mb???");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "?");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m \xc2\x80"),
            "?31m ?");
}

TEST(Printable, LeavesOtherTextsAlone) {
  const char* text = "\xc3\x9b \xc2\xa0 \xe2\x82\xac \xc2";
  EXPECT_EQ(printable(text), text);
}

TEST(Printable, ALinesEndIsWhatItIsToldToBe) {
  EXPECT_EQ(printable("a\nb"), "a?b");
  EXPECT_EQ(printable("a\nb", "\n  "), "a\n  b");
}

}  // namespace
}  // namespace pairbench
