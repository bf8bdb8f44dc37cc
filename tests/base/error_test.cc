#include "base/error.h"

#include <gtest/gtest.h>

namespace pairbench {
namespace {

TEST(Describe, NamesHostPhaseCauseAndHint) {
  Failure failure;
  failure.status = ExitStatus::peer;
  failure.phase = Phase::first_message;
  failure.host = "nodeB";
  failure.message = "no data arrived in 10 s";
  failure.cause = "control connection works";
  failure.hint = "open the security group";
  EXPECT_EQ(describe(failure),
            "error: nodeB: no data arrived in 10 s (first message)\n"
            "  cause:  control connection works\n"
            "  try:    open the security group\n");
}

TEST(Describe, LeavesOutWhatIsUnknown) {
  const Error error(ExitStatus::usage, Phase::usage, "--sizes: '8x' is not a size");
  EXPECT_EQ(describe(error.failure()), "error: --sizes: '8x' is not a size\n");
}

TEST(Describe, DoesNotRepeatThePhase) {
  const Error error(ExitStatus::peer, Phase::first_message,
                    "no data arrived in 10 s (first message, libfabric:efa)");
  EXPECT_EQ(describe(error.failure()),
            "error: no data arrived in 10 s (first message, libfabric:efa)\n");
}

TEST(Describe, AlignsFurtherLines) {
  const Error error(ExitStatus::failed, Phase::device, "one\ntwo", "c1\nc2", "t1\nt2");
  EXPECT_EQ(describe(error.failure()),
            "error: one\n       two\n"
            "  cause:  c1\n          c2\n"
            "  try:    t1\n          t2\n");
}

TEST(Describe, LetsNoControlCharacterThrough) {
  Failure failure;
  failure.host = "\x1b[31mevil";
  failure.message = "a\rb\tc\x7f";
  failure.cause = "d\x07";
  EXPECT_EQ(describe(failure), "error: ?[31mevil: a?b?c?\n  cause:  d?\n");
}

TEST(Describe, KeepsUtf8) {
  Failure failure;
  failure.message = "7 µs – naïve";
  EXPECT_EQ(describe(failure), "error: 7 µs – naïve\n");
}

TEST(Shortened, KeepsWhatIsShort) {
  EXPECT_EQ(shortened(""), "");
  EXPECT_EQ(shortened(std::string(200, 'x')), std::string(200, 'x'));
}

TEST(Shortened, SaysHowMuchThereWas) {
  EXPECT_EQ(shortened(std::string(60000, 'x')), std::string(200, 'x') + "... (60000 bytes)");
  EXPECT_EQ(shortened("abcdef", 2), "ab... (6 bytes)");
}

TEST(Shortened, CutsNoCharacterInTwo) {
  EXPECT_EQ(shortened("aµµ", 2), "a... (5 bytes)");
  EXPECT_EQ(shortened("aµµ", 3), "aµ... (5 bytes)");
  EXPECT_EQ(shortened(std::string(10, '\x80'), 5), "... (10 bytes)");
}

TEST(Shortened, BoundsEveryFieldOfAFailure) {
  const std::string long_text(60000, 'x');
  const Failure told =
      shortened(Failure{ExitStatus::peer, Phase::open, long_text, long_text, long_text, long_text});
  EXPECT_EQ(told.status, ExitStatus::peer);
  EXPECT_EQ(told.phase, Phase::open);
  for (const std::string& field : {told.message, told.host, told.cause, told.hint})
    EXPECT_EQ(field, std::string(4096, 'x') + "... (60000 bytes)");
}

TEST(ErrorClass, CarriesTheFailure) {
  const Error error(ExitStatus::no_device, Phase::device, "m", "c", "h");
  EXPECT_STREQ(error.what(), "m");
  EXPECT_EQ(error.failure().status, ExitStatus::no_device);
  EXPECT_EQ(error.failure().phase, Phase::device);
  EXPECT_EQ(error.failure().cause, "c");
  EXPECT_EQ(error.failure().hint, "h");
  EXPECT_EQ(error.failure().host, "");
}

TEST(ThrowUsage, IsExitTwo) {
  try {
    throw_usage("m", "h");
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.failure().status), 2);
    EXPECT_EQ(error.failure().phase, Phase::usage);
    EXPECT_EQ(error.failure().message, "m");
    EXPECT_EQ(error.failure().hint, "h");
  }
}

TEST(PhaseNames, AreWordsForPeople) {
  EXPECT_EQ(to_string(Phase::usage), "usage");
  EXPECT_EQ(to_string(Phase::device), "device");
  EXPECT_EQ(to_string(Phase::connect), "connect");
  EXPECT_EQ(to_string(Phase::hello), "hello");
  EXPECT_EQ(to_string(Phase::plan), "plan");
  EXPECT_EQ(to_string(Phase::open), "open");
  EXPECT_EQ(to_string(Phase::first_message), "first message");
  EXPECT_EQ(to_string(Phase::warmup), "warm-up");
  EXPECT_EQ(to_string(Phase::measure), "measure");
  EXPECT_EQ(to_string(Phase::results), "results");
  EXPECT_EQ(to_string(Phase::save), "save");
}

}  // namespace
}  // namespace pairbench
