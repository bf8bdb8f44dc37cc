#include "workload/payload.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"

namespace pairbench {
namespace {

struct Fixture {
  explicit Fixture(std::uint64_t size)
      : sender_memory(4 * 256),
        sender({sender_memory.data(), sender_memory.size(), 0}, size, 256, 4, 1, 2),
        receiver({sender_memory.data(), sender_memory.size(), 0}, size, 256, 4, 2, 1) {}
  std::vector<std::byte> message(std::uint64_t sequence) {
    const auto slot = sender.acquire(sequence);
    const LocalSlice slice = sender.slice(slot);
    sender.release(slot);
    return {slice.data, slice.data + slice.size};
  }
  std::vector<std::byte> sender_memory;
  CheckedPayload sender;
  CheckedPayload receiver;
};

TEST(CheckedPayload, AcceptsAnyOrderOnce) {
  Fixture f(100);
  f.receiver.start_block();
  for (const std::uint64_t sequence : {2u, 0u, 1u, 4u, 3u}) {
    const auto bytes = f.message(sequence);
    f.receiver.verify(bytes.data(), bytes.size());
  }
  EXPECT_NO_THROW(f.receiver.finish_block(5));
  EXPECT_THROW(f.receiver.finish_block(6), Error);
}

TEST(CheckedPayload, FindsEveryChangedByte) {
  Fixture f(64);
  for (std::size_t i = 8; i < 64; ++i) {
    f.receiver.start_block();
    auto bytes = f.message(0);
    bytes[i] ^= std::byte{1};
    EXPECT_THROW(f.receiver.verify(bytes.data(), bytes.size()), Error) << i;
  }
}

TEST(CheckedPayload, RefusesWrongLengthDuplicateAndOwnDirection) {
  Fixture f(64);
  f.receiver.start_block();
  const auto bytes = f.message(0);
  EXPECT_THROW(f.receiver.verify(bytes.data(), bytes.size() - 1), Error);
  f.receiver.verify(bytes.data(), bytes.size());
  EXPECT_THROW(f.receiver.verify(bytes.data(), bytes.size()), Error);
  f.sender.start_block();
  EXPECT_THROW(f.sender.verify(bytes.data(), bytes.size()), Error);
}

TEST(CheckedPayload, GapIsNamed) {
  Fixture f(64);
  f.receiver.start_block();
  for (const std::uint64_t sequence : {0u, 2u}) {
    const auto bytes = f.message(sequence);
    f.receiver.verify(bytes.data(), bytes.size());
  }
  try {
    f.receiver.finish_block(3);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("number 1 did not arrive"), std::string::npos)
        << error.what();
  }
}

TEST(CheckedPayload, TinyMessagesAreCheckedByLengthAlone) {
  for (const std::uint64_t size : {0u, 1u, 15u}) {
    Fixture f(size);
    f.receiver.start_block();
    const auto bytes = f.message(7);
    EXPECT_NO_THROW(f.receiver.verify(bytes.data(), bytes.size()));
    EXPECT_THROW(f.receiver.verify(bytes.data(), size + 1), Error);
  }
}

TEST(CheckedPayload, ACompletionThatIsNotDueIsRefused) {
  std::vector<std::byte> memory(4 * 128);
  CheckedPayload payload({memory.data(), memory.size(), 0}, 64, 128, 4, 1, 2);
  const std::uint64_t slot = payload.acquire(0);
  EXPECT_THROW(payload.release(slot + 1), Error);  // not sent
  EXPECT_THROW(payload.release(1'000'000), Error);
  payload.release(slot);
  EXPECT_THROW(payload.release(slot), Error);  // doubled
}

}  // namespace
}  // namespace pairbench
