#include "plan/json_parser.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "plan/json_fields.h"

namespace pairbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr JsonBounds kBounds{.depth = 4, .members = 3};

std::string complaint(std::string_view text) {
  try {
    parse_json(text, kBounds);
  } catch (const FormatError& error) {
    return error.what();
  }
  return "none";
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += text;
  return out;
}

TEST(ParseJson, GivesWhatTheTextSays) {
  for (const char* text : {R"({"z":[1,-2,3.5,null],"a":{"b":true,"c":"\u00e9"},"":[]})", "[]", "{}",
                           "18446744073709551615", "-9223372036854775808", "\"text\"", "null",
                           "[[[[false]]]]", R"([{"a":{}},{"a":[]}])"})
    EXPECT_EQ(parse_json(text, kBounds), Json::parse(text)) << text;
}

TEST(ParseJson, KeepsTheOrderOfMembersAndTheLastOfTwoAlike) {
  EXPECT_EQ(parse_json(R"({"z":1,"a":{"z":5},"z":[2]})", kBounds).dump(),
            R"({"z":[2],"a":{"z":5}})");
}

TEST(ParseJson, RefusesWhatIsNone) {
  for (const char* text : {"", "{", "[1,]", "{\"a\":1", "nul", "1e999", "\"\xff\"", "[] []", "NaN"})
    EXPECT_EQ(complaint(text), "this is not JSON") << text;
}

TEST(ParseJson, BoundsHowDeepItGoes) {
  EXPECT_EQ(complaint("[[{\"a\":[]}]]"), "none");
  EXPECT_EQ(complaint("[[{\"a\":[[]]}]]"), "it is nested over 4 levels deep");
  EXPECT_EQ(complaint(std::string(1'000'000, '[')), "it is nested over 4 levels deep");
}

TEST(ParseJson, BoundsTheMembersOfEachObject) {
  EXPECT_EQ(complaint(R"([{"a":1,"b":2,"c":3},{"a":1,"b":{"a":1,"b":2,"c":3},"c":3}])"), "none");
  EXPECT_EQ(complaint(R"({"a":1,"b":2,"c":3,"d":4})"), "an object has more than 3 members");
  EXPECT_EQ(complaint(R"({"a":1,"a":2,"a":3,"a":4})"), "an object has more than 3 members");
}

TEST(ParseJson, HandsOverTheElementsOfOneList) {
  std::vector<std::string> taken;
  const JsonList list{"l", [&](const Json& element) { taken.push_back(element.dump()); }};
  const Json rest =
      parse_json(R"({"a":{"l":[1]},"l":[2,{"l":[3]},[4,5],"six"],"b":[7]})", kBounds, list);
  EXPECT_EQ(taken, (std::vector<std::string>{"2", R"({"l":[3]})", "[4,5]", "\"six\""}));
  EXPECT_EQ(rest.dump(), R"({"a":{"l":[1]},"l":[],"b":[7]})");
}

TEST(ParseJson, AListThatIsNoneStays) {
  const JsonList list{"l", [](const Json&) { FAIL(); }};
  for (const char* text : {R"({"l":{"a":[1]}})", R"([{"l":[1]}])", R"({"l":1})"})
    EXPECT_EQ(parse_json(text, kBounds, list).dump(), text);
}

TEST(ParseJson, WhatTheTakerThrowsIsThrownOn) {
  const JsonList list{"l", [](const Json&) { throw FormatError("", "enough"); }};
  EXPECT_THROW(parse_json(R"({"l":[1]})", kBounds, list), FormatError);
}

// By the square of their number half a million elements would take minutes.
TEST(ParseJson, TakesTimeInProportionToTheText) {
  constexpr std::size_t kMany = 500'000;
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(parse_json("[" + repeated("{},", kMany) + "{}]", kBounds).size(), kMany + 1);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::minutes(1));
}

}  // namespace
}  // namespace pairbench
