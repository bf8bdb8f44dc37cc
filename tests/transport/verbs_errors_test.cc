#include <gtest/gtest.h>

#include "transport/verbs/errors.h"

namespace pairbench::verbs {
namespace {

TEST(VerbsErrors, APeerThatIsGoneIsThePeersFault) {
  const Failure failure = completion_failure(IBV_WC_RETRY_EXC_ERR, 0x81, true, "verbs:rxe0/1/1");
  EXPECT_EQ(failure.status, ExitStatus::peer);
  EXPECT_EQ(failure.message, "a send failed on verbs:rxe0/1/1");
  EXPECT_NE(failure.cause.find("completion status 12"), std::string::npos) << failure.cause;
  EXPECT_NE(failure.cause.find("vendor error 0x81"), std::string::npos) << failure.cause;
  EXPECT_NE(failure.hint.find("GID"), std::string::npos) << failure.hint;
}

TEST(VerbsErrors, AReceiverThatIsNotReadyIsNamed) {
  const Failure failure = completion_failure(IBV_WC_RNR_RETRY_EXC_ERR, 0, true, "verbs:rxe0/1/1");
  EXPECT_EQ(failure.status, ExitStatus::peer);
  EXPECT_NE(failure.hint.find("--rx-depth"), std::string::npos);
}

TEST(VerbsErrors, AnAddressThatHasGoneIsAFailureHere) {
  const Failure failure = completion_failure(IBV_WC_LOC_QP_OP_ERR, 0, true, "verbs:rxe0/1/1");
  EXPECT_EQ(failure.status, ExitStatus::failed);
  EXPECT_NE(failure.cause.find("GID"), std::string::npos) << failure.cause;
  EXPECT_NE(failure.hint.find("ip address"), std::string::npos) << failure.hint;
}

TEST(VerbsErrors, ALongMessageIsAFailureHere) {
  const Failure failure = completion_failure(IBV_WC_LOC_LEN_ERR, 0, false, "verbs:rxe0/1/1");
  EXPECT_EQ(failure.status, ExitStatus::failed);
  EXPECT_EQ(failure.message, "a receive failed on verbs:rxe0/1/1");
}

TEST(VerbsErrors, WhatHasNoMeaningKeepsItsNumber) {
  const Failure failure = completion_failure(IBV_WC_GENERAL_ERR, 0, true, "verbs:rxe0/1/1");
  EXPECT_NE(failure.cause.find("completion status 21"), std::string::npos) << failure.cause;
}

TEST(VerbsErrors, OfSetUpHaveARemedy) {
  try {
    throw_call("ibv_reg_mr", ENOMEM, "verbs:rxe0/1/1");
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().phase, Phase::open);
    EXPECT_NE(error.failure().hint.find("ulimit -l"), std::string::npos);
  }
}

}  // namespace
}  // namespace pairbench::verbs
