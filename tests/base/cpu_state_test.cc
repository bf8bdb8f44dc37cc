#include "base/cpu_state.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/temp_dir.h"

namespace pairbench {
namespace {

TEST(Steal, IsTheEighthColumnOfTheCpusOwnLine) {
  const test::TempDir root;
  root.write("proc/stat",
             "cpu  9 9 9 9 9 9 9 9 0 0\n"
             "cpu1 1 2 3 4 5 6 7 50 9 9\n"
             "cpu10 1 2 3 4 5 6 7 70 9 9\n"
             "cpu2 1 2 3\n");
  const double tick_ns = 1e9 / static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_EQ(steal_ns(1, root.path()), 50 * tick_ns);
  EXPECT_EQ(steal_ns(10, root.path()), 70 * tick_ns);
  EXPECT_EQ(steal_ns(2, root.path()), std::nullopt);
  EXPECT_EQ(steal_ns(3, root.path()), std::nullopt);
}

TEST(Frequency, IsReadInKilohertz) {
  const test::TempDir root;
  root.write("sys/devices/system/cpu/cpu3/cpufreq/scaling_cur_freq", "2400000\n");
  root.write("sys/devices/system/cpu/cpu4/cpufreq/scaling_cur_freq", "<unknown>\n");
  EXPECT_EQ(frequency_mhz(3, root.path()), 2400.0);
  EXPECT_EQ(frequency_mhz(4, root.path()), std::nullopt);
  EXPECT_EQ(frequency_mhz(5, root.path()), std::nullopt);
}

}  // namespace
}  // namespace pairbench
