#include "base/cpu.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>

#include "base/error.h"

namespace pairbench {
namespace {

using Cpus = std::vector<int>;

class Affinity : public testing::Test {
 protected:
  void TearDown() override { set_allowed_cpus(before_); }

  const Cpus before_ = allowed_cpus();
};

TEST_F(Affinity, IsAscendingAndNotEmpty) {
  ASSERT_FALSE(before_.empty());
  EXPECT_TRUE(std::is_sorted(before_.begin(), before_.end()));
}

TEST_F(Affinity, PinsToOneCpuAndBack) {
  pin_to_cpu(before_.back());
  EXPECT_EQ(allowed_cpus(), Cpus{before_.back()});
  EXPECT_EQ(sched_getcpu(), before_.back());
  set_allowed_cpus(before_);
  EXPECT_EQ(allowed_cpus(), before_);
}

TEST_F(Affinity, RefusesACpuOutsideTheMaskAndNamesBoth) {
  pin_to_cpu(before_.front());
  for (const int cpu : {before_.front() + 1, -1, 1000000}) {
    try {
      pin_to_cpu(cpu);
      ADD_FAILURE() << "pinned to CPU " << cpu;
    } catch (const Error& error) {
      EXPECT_EQ(error.failure().status, ExitStatus::usage);
      EXPECT_NE(error.failure().message.find("CPU " + std::to_string(cpu)), std::string::npos);
      EXPECT_TRUE(error.failure().message.ends_with(": " + std::to_string(before_.front())));
      EXPECT_NE(error.failure().cause, "");
      EXPECT_NE(error.failure().hint.find("--cpu"), std::string::npos);
    }
  }
}

TEST_F(Affinity, RefusesAMaskWithoutAnyCpu) {
  EXPECT_THROW(set_allowed_cpus({}), Error);
  EXPECT_THROW(set_allowed_cpus({-1}), Error);
  EXPECT_EQ(allowed_cpus(), before_);
}

TEST(CpuList, FormatsAsTheKernelDoes) {
  EXPECT_EQ(format_cpu_list({}), "");
  EXPECT_EQ(format_cpu_list({3}), "3");
  EXPECT_EQ(format_cpu_list({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(format_cpu_list({0, 2, 4, 5}), "0,2,4-5");
}

TEST(CpuList, ParsesWhatItFormats) {
  for (const Cpus& cpus : {Cpus{3}, Cpus{0, 1, 2, 3, 8}, Cpus{0, 2, 4, 5, 191}}) {
    EXPECT_EQ(parse_cpu_list(format_cpu_list(cpus)), cpus);
  }
  EXPECT_EQ(parse_cpu_list("5,0-2,1"), (Cpus{0, 1, 2, 5}));
  EXPECT_EQ(parse_cpu_list("16383,0,16383"), (Cpus{0, 16383}));
}

TEST(CpuList, RefusesTheRest) {
  for (const char* text : {"", ",", "1,", "3-1", "-1", "1-", "a", "1 2", "0-4294967295", "1-2-3"}) {
    EXPECT_THROW(parse_cpu_list(text), Error) << text;
  }
  EXPECT_EQ(parse_cpu_list("0-16383").size(), 16384u);
  EXPECT_EQ(parse_cpu_list("0-16383,0").size(), 16384u);
}

TEST(Numa, UnknownNodesHaveNoCpus) {
  EXPECT_EQ(cpus_of_numa_node(-1), Cpus{});
  EXPECT_EQ(cpus_of_numa_node(1 << 20), Cpus{});
  EXPECT_FALSE(numa_node_of_cpu(1 << 20).has_value());
}

TEST(Numa, ACpuIsAmongItsNodesCpus) {
  const int cpu = allowed_cpus().front();
  const auto node = numa_node_of_cpu(cpu);
  if (!node) GTEST_SKIP() << "this kernel shows no NUMA nodes";
  const Cpus cpus = cpus_of_numa_node(*node);
  EXPECT_TRUE(std::binary_search(cpus.begin(), cpus.end(), cpu));
}

}  // namespace
}  // namespace pairbench
