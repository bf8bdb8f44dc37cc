#include <gtest/gtest.h>

#include <set>

#include "transport/libfabric/operation_contexts.h"

namespace pairbench::libfabric {
namespace {

void* post(OperationContexts& contexts, Token token, Signal signal = Signal::yes) {
  void* const context = contexts.next(token);
  contexts.accepted(signal);
  return context;
}

TEST(PlainContexts, TheTokenIsTheContext) {
  OperationContexts contexts(2, false);
  EXPECT_EQ(reinterpret_cast<Token>(contexts.next(0)), 0u);
  void* const context = post(contexts, ~Token{0});
  EXPECT_EQ(contexts.completed(context), ~Token{0});
}

TEST(PlainContexts, OnlyReportedOperationsTakeRoom) {
  OperationContexts contexts(2, false);
  post(contexts, 1);
  post(contexts, 2, Signal::no);
  EXPECT_FALSE(contexts.exhausted());
  void* const last = post(contexts, 3);
  EXPECT_TRUE(contexts.exhausted());
  contexts.completed(last);
  EXPECT_FALSE(contexts.exhausted());
}

TEST(ContextSlots, EveryOutstandingOperationHasMemoryOfItsOwn) {
  OperationContexts contexts(8, true);
  std::set<void*> seen;
  for (Token token = 0; token < 8; ++token) {
    void* const context = post(contexts, token);
    EXPECT_TRUE(seen.insert(context).second);
    memset(context, 0xff, sizeof(fi_context2));  // as a provider may
  }
  EXPECT_TRUE(contexts.exhausted());
  std::set<Token> tokens;
  for (void* context : seen) tokens.insert(contexts.completed(context));
  EXPECT_EQ(tokens.size(), 8u);
}

TEST(ContextSlots, WhatWasNotAcceptedIsNotTaken) {
  OperationContexts contexts(1, true);
  contexts.next(1);
  EXPECT_FALSE(contexts.exhausted());
  void* const context = post(contexts, 2);
  EXPECT_TRUE(contexts.exhausted());
  EXPECT_EQ(contexts.completed(context), 2u);
}

TEST(ContextSlots, UnreportedOnesComeBackWithTheNextReportedOne) {
  OperationContexts contexts(4, true);
  post(contexts, 1, Signal::no);
  post(contexts, 2, Signal::no);
  void* const first = post(contexts, 3);
  void* const second = post(contexts, 4);
  EXPECT_TRUE(contexts.exhausted());
  EXPECT_EQ(contexts.completed(first), 3u);
  for (Token token = 5; token < 8; ++token) {
    EXPECT_FALSE(contexts.exhausted());
    post(contexts, token);
  }
  EXPECT_TRUE(contexts.exhausted());
  EXPECT_EQ(contexts.completed(second), 4u);
}

TEST(ContextSlots, ServeForEver) {
  OperationContexts contexts(3, true);
  for (Token token = 0; token < 1000; ++token) {
    post(contexts, token, Signal::no);
    void* const context = post(contexts, token);
    ASSERT_EQ(contexts.completed(context), token);
  }
  EXPECT_FALSE(contexts.exhausted());
}

TEST(ContextSlots, SurviveAMove) {
  OperationContexts contexts(2, true);
  void* const context = post(contexts, 7);
  OperationContexts moved = std::move(contexts);
  EXPECT_EQ(moved.completed(context), 7u);
  post(moved, 8);
  post(moved, 9);
  EXPECT_TRUE(moved.exhausted());
}

}  // namespace
}  // namespace pairbench::libfabric
