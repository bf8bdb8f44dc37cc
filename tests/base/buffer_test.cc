#include "base/buffer.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"

namespace pairbench {
namespace {

const std::size_t kPage = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

std::string refusal_of(std::size_t bytes) {
  try {
    Buffer buffer(bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().status, ExitStatus::failed);
    EXPECT_EQ(error.failure().phase, Phase::open);
    return error.failure().message + "; " + error.failure().cause;
  }
  ADD_FAILURE() << bytes << " bytes were given";
  return {};
}

TEST(Buffer, IsWholePagesOfZeros) {
  for (const std::size_t asked : {std::size_t{0}, std::size_t{1}, kPage, kPage + 1}) {
    const Buffer buffer(asked);
    EXPECT_GE(buffer.bytes().size(), std::max<std::size_t>(asked, 1));
    EXPECT_EQ(buffer.bytes().size() % kPage, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.bytes().data()) % kPage, 0u);
    EXPECT_TRUE(std::all_of(buffer.bytes().begin(), buffer.bytes().end(),
                            [](std::byte b) { return b == std::byte{0}; }));
  }
}

TEST(Buffer, IsLockedWhereTheLimitLeavesRoomForRegisteredMemory) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_MEMLOCK, &before), 0);
  Buffer buffer(16 * kPage);
  rlimit tight = before;
  tight.rlim_cur = std::min<rlim_t>(before.rlim_max, 32 * kPage);
  ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &tight), 0);
  EXPECT_FALSE(buffer.lock());
  setrlimit(RLIMIT_MEMLOCK, &before);
  EXPECT_EQ(buffer.lock(), before.rlim_cur >= 64 * kPage);
}

TEST(Buffer, EveryPageIsThereFromTheStart) {
  const Buffer buffer(64 * kPage);
  std::vector<unsigned char> resident(64);
  ASSERT_EQ(mincore(buffer.bytes().data(), buffer.bytes().size(), resident.data()), 0);
  EXPECT_TRUE(std::all_of(resident.begin(), resident.end(), [](auto r) { return (r & 1) != 0; }));
}

TEST(Buffer, IsWritableToItsLastByte) {
  const Buffer buffer(3 * kPage);
  std::fill(buffer.bytes().begin(), buffer.bytes().end(), std::byte{0xa5});
  EXPECT_EQ(buffer.bytes().back(), std::byte{0xa5});
}

TEST(Buffer, MovesWithItsMemory) {
  Buffer a(kPage);
  std::byte* const data = a.bytes().data();
  Buffer b(std::move(a));
  EXPECT_EQ(b.bytes().data(), data);
  Buffer c(2 * kPage);
  c = std::move(b);
  EXPECT_EQ(c.bytes().data(), data);
  EXPECT_EQ(c.bytes().size(), kPage);
}

TEST(Buffer, SaysWhatItCouldNotAllocate) {
  const std::size_t huge = std::size_t{1} << 62;
  EXPECT_NE(refusal_of(huge).find("cannot allocate 4611686018427387904 bytes"), std::string::npos);
  refusal_of(std::numeric_limits<std::size_t>::max());
}

TEST(BufferDeathTest, NamesTheAddressSpaceLimit) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more address space than any limit of use here";
#endif
  const auto allocate_limited = [] {
    const rlimit limit{std::size_t{1} << 30, std::size_t{1} << 30};
    setrlimit(RLIMIT_AS, &limit);
    const std::string refusal = refusal_of(std::size_t{2} << 30);
    _exit(refusal.find("limited to 1073741824 bytes") == std::string::npos ? 1 : 0);
  };
  EXPECT_EXIT(allocate_limited(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace pairbench
