#include "control/framing.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "plan/json_fields.h"

namespace pairbench {
namespace {

// Hands `bytes` to the decoder, at most `piece` at a time.
std::vector<Message> decode(FrameDecoder& decoder, std::string_view bytes, std::size_t piece) {
  std::vector<Message> messages;
  while (!bytes.empty()) {
    const std::span<char> space = decoder.space();
    EXPECT_FALSE(space.empty());
    const std::size_t count = std::min({space.size(), piece, bytes.size()});
    std::copy_n(bytes.begin(), count, space.begin());
    bytes.remove_prefix(count);
    if (auto message = decoder.commit(count)) messages.push_back(std::move(*message));
  }
  return messages;
}

std::string header(std::uint32_t size) {
  return {static_cast<char>(size >> 24), static_cast<char>(size >> 16 & 0xff),
          static_cast<char>(size >> 8 & 0xff), static_cast<char>(size & 0xff)};
}

std::string complaint(std::string_view bytes, std::size_t cap = kMaxFrame) {
  FrameDecoder decoder(cap);
  try {
    decode(decoder, bytes, bytes.size());
  } catch (const FormatError& error) {
    return error.what();
  }
  return "(no complaint)";
}

std::string frame_of(const std::string& text) {
  return header(static_cast<std::uint32_t>(text.size())) + text;
}

TEST(Knock, HasTheBytesOfTheProtocol) {
  const Knock knock = encode_knock();
  EXPECT_EQ(std::string(knock.data(), knock.size()), std::string("PAIRBNCH\0\1\0\0\0\0\0\0", 16));
  EXPECT_EQ(decode_knock(knock), (Announcement{kProtocolVersion, false}));
}

TEST(Knock, OtherVersionsAreReadWhateverTheyReserve) {
  Knock knock = encode_knock(0x0203);
  EXPECT_EQ(decode_knock(knock), (Announcement{0x0203, false}));
  knock.back() = 'x';
  EXPECT_EQ(decode_knock(knock), (Announcement{0x0203, false}));
}

TEST(Knock, SaysWhetherASecretWillBeProved) {
  EXPECT_EQ(decode_knock(encode_knock(kProtocolVersion, DoorStep::ask)),
            (Announcement{kProtocolVersion, true}));
}

TEST(Knock, StrangersAreNotRead) {
  Knock knock = encode_knock();
  knock[0] = 'p';
  EXPECT_EQ(decode_knock(knock), std::nullopt);
  // What only a responder says, or nobody.
  for (const int step : {2, 3, 4, 5, 255})
    EXPECT_EQ(decode_knock(encode_knock(kProtocolVersion, static_cast<DoorStep>(step))),
              std::nullopt);
  knock = encode_knock();
  knock.back() = 1;
  EXPECT_EQ(decode_knock(knock), std::nullopt);
}

TEST(Framing, LengthIsBigEndianAndCountsTheText) {
  EXPECT_EQ(encode_frame({"bye", {}}), frame_of(R"({"type":"bye"})"));
  EXPECT_EQ(encode_frame({"sent", {{"messages", 3}}}), frame_of(R"({"type":"sent","messages":3})"));
}

TEST(Framing, MessagesSurviveAnyCutting) {
  const std::string bytes = encode_frame({"a", {{"n", 1}}}) + encode_frame({"b", {}}) +
                            encode_frame({"c", {{"text", std::string(5000, 'x')}}});
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{7}, bytes.size()}) {
    FrameDecoder decoder(kMaxFrame);
    const auto messages = decode(decoder, bytes, piece);
    ASSERT_EQ(messages.size(), 3u);
    EXPECT_EQ(messages[0].type, "a");
    EXPECT_EQ(messages[0].body, Json({{"n", 1}}));
    EXPECT_EQ(messages[1].body, Json::object());
    EXPECT_EQ(messages[2].body.at("text").get<std::string>().size(), 5000u);
  }
}

TEST(Framing, SizeIsHeldAgainstTheCapBeforeAnyOfTheBodyArrives) {
  EXPECT_EQ(complaint(header(101), 100), "a frame of 101 bytes is over the limit of 100");
  EXPECT_EQ(complaint(header(100), 100), "(no complaint)");
  EXPECT_EQ(complaint(header(0xffffffff)),
            "a frame of 4294967295 bytes is over the limit of 16777216");
  EXPECT_EQ(complaint(header(0)), "a frame is empty");
}

TEST(Framing, CapCanBeRaisedBetweenFrames) {
  const std::string large = encode_frame({"plan", {{"text", std::string(200, 'x')}}});
  FrameDecoder decoder(100);
  EXPECT_EQ(decode(decoder, encode_frame({"hello", {}}), 100).size(), 1u);
  decoder.set_cap(1000);
  EXPECT_EQ(decode(decoder, large, 100).size(), 1u);
}

TEST(Framing, WhatIsNoMessageIsNamed) {
  EXPECT_EQ(complaint(frame_of("GET / HTTP/1.1")), "this is not JSON");
  EXPECT_EQ(complaint(frame_of("{\"type\":\"a\"")), "this is not JSON");
  EXPECT_EQ(complaint(frame_of("[1,2]")), "an object is needed");
  EXPECT_EQ(complaint(frame_of("{}")), "type: is missing");
  EXPECT_EQ(complaint(frame_of("{\"type\":5}")), "type: a string is needed");
  EXPECT_EQ(complaint(frame_of("{\"type\":\"a\",\"n\":1e999}")), "this is not JSON");
  EXPECT_EQ(complaint(frame_of("{\"type\":\"\xff\"}")), "this is not JSON");
}

TEST(Framing, DepthIsBounded) {
  const std::string deep = std::string(1 << 20, '[');
  EXPECT_EQ(complaint(frame_of(deep)), "it is nested over 32 levels deep");
  EXPECT_EQ(complaint(frame_of("{\"type\":\"a\",\"n\":[[[[1]]]]}")), "(no complaint)");
}

TEST(Framing, MembersOfAnObjectAreBounded) {
  const auto object = [](int members) {
    std::string text;
    for (int i = 0; i < members; ++i) text += ",\"" + std::to_string(i) + "\":{}";
    return "{\"type\":\"a\"" + text + "}";
  };
  EXPECT_EQ(complaint(frame_of(object(1023))), "(no complaint)");
  EXPECT_EQ(complaint(frame_of(object(1024))), "an object has more than 1024 members");
  // Each object for itself.
  EXPECT_EQ(complaint(frame_of("{\"type\":\"a\",\"n\":[" + object(1000) + "," + object(1000) +
                               "],\"m\":" + object(1000) + "}")),
            "(no complaint)");
  EXPECT_EQ(complaint(frame_of("{\"type\":\"a\",\"n\":{\"m\":" + object(1024) + "}}")),
            "an object has more than 1024 members");
}

TEST(Framing, RandomBytesNeverDoMoreThanComplain) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string body(random() % 64 + 1, '\0');
    for (char& c : body) c = static_cast<char>(random() & 0xff);
    EXPECT_NE(complaint(frame_of(body)), "(no complaint)");
  }
}

TEST(Framing, TextThatIsNotUtf8Travels) {
  FrameDecoder decoder(kMaxFrame);
  const std::string bytes = encode_frame({"failure", {{"text", "bad \xff byte"}}});
  EXPECT_EQ(decode(decoder, bytes, bytes.size()).at(0).body.at("text"), "bad \xEF\xBF\xBD byte");
}

TEST(Framing, MessageOverTheLimitIsRefusedAtTheSender) {
  EXPECT_THROW(encode_frame({"plan", {{"text", std::string(kMaxFrame, 'x')}}}), Error);
}

// A parser that looks back at the end of each element would take minutes.
TEST(DecodeMessage, TakesTimeInProportionWhateverTheTextSays) {
  std::string text = R"({"type":"x","x":[{})";
  for (int i = 0; i < 300'000; ++i) text += ",{}";
  text += "]}";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(decode_message(text).body["x"].size(), 300'001u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace pairbench
