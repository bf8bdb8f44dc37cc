#include "base/resource_limits.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <string>
#include <string_view>

namespace pairbench {
namespace {

bool mentions(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(LimitHint, NamesTheLimitAndItsValue) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit lower{before.rlim_cur < 123 ? before.rlim_cur : 123, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &lower), 0);
  const std::string hint = limit_hint(EMFILE);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(hint, "raise a limit: open files (ulimit -n) " + std::to_string(lower.rlim_cur));
}

TEST(RequireOpenFiles, NamesWhatIsNeededAndWhatThereIs) {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  if (limit.rlim_cur == RLIM_INFINITY) GTEST_SKIP() << "there is no limit";
  require_open_files("a server", limit.rlim_cur);
  try {
    require_open_files("a server", limit.rlim_cur + 1);
    ADD_FAILURE() << "nothing was refused";
  } catch (const Error& error) {
    const std::string there = std::to_string(limit.rlim_cur);
    EXPECT_EQ(error.failure().status, ExitStatus::failed);
    EXPECT_EQ(error.failure().message,
              "a server needs " + std::to_string(limit.rlim_cur + 1) + " open files at least");
    EXPECT_EQ(error.failure().cause, "this process may have " + there);
    EXPECT_TRUE(mentions(error.failure().hint, "(ulimit -n) " + there));
  }
}

TEST(LimitHint, NamesEveryLimitThatMayBeTheCause) {
  EXPECT_TRUE(mentions(limit_hint(EAGAIN), "ulimit -u"));
  EXPECT_TRUE(mentions(limit_hint(EAGAIN), "ulimit -v"));
  EXPECT_TRUE(mentions(limit_hint(ENOMEM), "ulimit -l"));
  EXPECT_TRUE(mentions(limit_hint(ENOMEM), "ulimit -v"));
}

TEST(LimitHint, SaysNothingWhereNoLimitIsTheCause) {
  EXPECT_EQ(limit_hint(0), "");
  EXPECT_EQ(limit_hint(ECONNREFUSED), "");
}

}  // namespace
}  // namespace pairbench
