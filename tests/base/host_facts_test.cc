#include "base/host_facts.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "base/temp_dir.h"

namespace pairbench {
namespace {

namespace fs = std::filesystem;

const char* const kReadFiles[] = {
    "proc/sys/kernel/random/boot_id",
    "proc/cpuinfo",
    "etc/os-release",
    "sys/hypervisor/type",
    "sys/devices/system/node/online",
    "sys/devices/system/cpu/smt/active",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    "sys/devices/system/cpu/intel_pstate/no_turbo",
    "sys/devices/system/cpu/cpufreq/boost",
    "sys/devices/system/clocksource/clocksource0/current_clocksource",
};

TEST(HostFacts, ReadsWhatTheFilesSay) {
  const test::TempDir root;
  root.write("proc/sys/kernel/random/boot_id", "1234-5678\n");
  root.write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU\nmicrocode\t: 0x2b\n\n");
  root.write("etc/os-release", "NAME=\"A\"\nPRETTY_NAME=\"A Linux 12\"\n");
  root.write("sys/devices/system/node/online", "0-1\n");
  root.write("sys/devices/system/node/node0/cpulist", "0-3,8\n");
  root.write("sys/devices/system/node/node1/cpulist", "4-7\n");
  root.write("sys/devices/system/cpu/smt/active", "1\n");
  root.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  root.write("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  root.write("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
  fs::create_directories(root.path() / "proc/self/ns");
  fs::create_symlink("net:[42]", root.path() / "proc/self/ns/net");

  const HostFacts facts = read_host_facts(root.path());
  EXPECT_EQ(facts.boot_id, "1234-5678/net:[42]");
  EXPECT_EQ(facts.cpu_model, "Some CPU");
  EXPECT_EQ(facts.microcode, "0x2b");
  EXPECT_EQ(facts.distribution, "A Linux 12");
  const std::map<std::string, std::string> nodes{{"0", "0-3,8"}, {"1", "4-7"}};
  EXPECT_EQ(facts.numa_cpus, nodes);
  EXPECT_EQ(facts.smt_active, true);
  EXPECT_EQ(facts.governor, "performance");
  EXPECT_EQ(facts.turbo, false);
  EXPECT_EQ(facts.clocksource, "tsc");
}

TEST(HostFacts, ReadsTheOtherKindsOfProcessor) {
  const test::TempDir root;
  root.write("proc/cpuinfo", "CPU implementer\t: 0x41\nCPU part\t: 0xd40\n");
  root.write("sys/devices/system/cpu/cpufreq/boost", "1\n");
  const HostFacts facts = read_host_facts(root.path());
  EXPECT_EQ(facts.cpu_model, "implementer 0x41 part 0xd40");
  EXPECT_EQ(facts.turbo, true);
}

void expect_nothing_from_files(const HostFacts& facts) {
  EXPECT_FALSE(facts.cpu_model.has_value());
  EXPECT_FALSE(facts.microcode.has_value());
  EXPECT_FALSE(facts.distribution.has_value());
  EXPECT_FALSE(facts.numa_cpus.has_value());
  EXPECT_FALSE(facts.smt_active.has_value());
  EXPECT_FALSE(facts.turbo.has_value());
}

TEST(HostFacts, UnreadableIsNothing) {
  const test::TempDir root;
  const HostFacts facts = read_host_facts(root.path());
  expect_nothing_from_files(facts);
  EXPECT_EQ(facts.boot_id, "");
  EXPECT_FALSE(facts.governor.has_value());
  EXPECT_FALSE(facts.clocksource.has_value());
}

TEST(HostFacts, FoldersInPlaceOfFilesAreNothing) {
  const test::TempDir root;
  for (const char* file : kReadFiles) fs::create_directories(root.path() / file);
  expect_nothing_from_files(read_host_facts(root.path()));
}

TEST(HostFacts, BearsOddFiles) {
  const std::string zeros(5000, '\0');
  for (const std::string& text : {std::string("\n\n\n"), zeros, std::string("\xff\xfe:=\"\x80"),
                                  std::string("model name"), std::string("0-999999999999")}) {
    const test::TempDir root;
    for (const char* file : kReadFiles) root.write(file, text);
    expect_nothing_from_files(read_host_facts(root.path()));
  }
}

TEST(HostFacts, ReadsThisHost) {
  const HostFacts facts = read_host_facts();
  EXPECT_FALSE(facts.hostname.empty());
  EXPECT_FALSE(facts.kernel.empty());
  EXPECT_FALSE(facts.architecture.empty());
  EXPECT_GT(facts.cpus_online.value_or(1), 0);
  EXPECT_GT(facts.memory_bytes.value_or(1), 0u);
  EXPECT_TRUE(facts.memlock_limit_bytes.has_value());
  EXPECT_TRUE(facts.open_files_limit.has_value());
  EXPECT_NE(facts.hypervisor, "");
}

TEST(HostFacts, TakesOnlyListedVariables) {
  setenv("FI_PAIRBENCH_TEST", "a=b", 1);
  setenv("MLX5_PAIRBENCH_TEST", "", 1);
  setenv("PAIRBENCH_FI_SECRET", "s", 1);
  const auto environment = read_host_facts().environment;
  unsetenv("FI_PAIRBENCH_TEST");
  unsetenv("MLX5_PAIRBENCH_TEST");
  unsetenv("PAIRBENCH_FI_SECRET");
  EXPECT_EQ(environment.at("FI_PAIRBENCH_TEST"), "a=b");
  EXPECT_EQ(environment.at("MLX5_PAIRBENCH_TEST"), "");
  for (const auto& [name, value] : environment) {
    EXPECT_TRUE(name.starts_with("FI_") || name.starts_with("IBV_") || name.starts_with("RDMAV_") ||
                name.starts_with("MLX5_"))
        << name;
  }
}

TEST(SameHost, IsTheSameBootInAnyNetworkNamespace) {
  HostFacts a, b;
  a.boot_id = "1234/net:[1]";
  b.boot_id = "1234/net:[2]";
  EXPECT_TRUE(same_host(a, b));
  b.boot_id = "1234";
  EXPECT_TRUE(same_host(a, b));
  b.boot_id = "12345/net:[1]";
  EXPECT_FALSE(same_host(a, b));
  a.boot_id = b.boot_id = "";
  EXPECT_FALSE(same_host(a, b));
  EXPECT_TRUE(same_host(read_host_facts(), read_host_facts()));
}

}  // namespace
}  // namespace pairbench
