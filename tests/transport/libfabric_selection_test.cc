#include <gtest/gtest.h>

#include "transport/libfabric/selection.h"

namespace pairbench::libfabric {
namespace {

Candidate candidate(std::string provider, std::string domain, std::string ip = "",
                    bool physical = true) {
  Candidate result;
  result.provider = std::move(provider);
  result.fabric = result.provider;
  result.domain = std::move(domain);
  result.ip = std::move(ip);
  result.physical = physical;
  return result;
}

// A host with two networks, a container bridge and loopback, as tcp of 1.17 lists it.
const std::vector<Candidate> kTcpCandidates{
    candidate("tcp;ofi_rxm", "docker0", "172.17.0.1", false),
    candidate("tcp;ofi_rxm", "eth1", "fe80::1"),
    candidate("tcp;ofi_rxm", "eth1", "10.8.0.1"),
    candidate("tcp;ofi_rxm", "eth0", "10.9.0.1"),
    candidate("tcp;ofi_rxm", "eth0", "fd00::9"),
    candidate("tcp;ofi_rxm", "lo", "127.0.0.1", false),
    candidate("tcp;ofi_rxm", "lo", "::1", false),
};
const std::vector<InterfaceAddress> kInterfaces{
    {"lo", "127.0.0.1"}, {"lo", "::1"},        {"eth0", "10.9.0.1"}, {"eth0", "fd00::9"},
    {"eth1", "fe80::1"}, {"eth1", "10.8.0.1"}, {"eth1", "10.8.0.7"}, {"docker0", "172.17.0.1"},
};

std::string chosen_ip(const Request& request, const std::vector<Candidate>& all = kTcpCandidates) {
  const auto index = select(all, request, kInterfaces);
  return index ? all[*index].ip : "none";
}

TEST(ResolveProvider, TakesTheExactName) {
  const std::vector<Candidate> all{candidate("net;ofi_rxm", "lo"), candidate("net", "lo")};
  EXPECT_EQ(resolve_provider("net", all), "net");
  EXPECT_EQ(resolve_provider("net;ofi_rxm", all), "net;ofi_rxm");
}

TEST(ResolveProvider, TakesTheLayerOverTheNameWhereThereIsNoOther) {
  EXPECT_EQ(resolve_provider("tcp", kTcpCandidates), "tcp;ofi_rxm");
  const std::vector<Candidate> udp{candidate("udp;ofi_rxd", "lo")};
  EXPECT_EQ(resolve_provider("udp", udp), "udp;ofi_rxd");
}

TEST(ResolveProvider, NeverTakesAnother) {
  EXPECT_EQ(resolve_provider("tpc", kTcpCandidates), std::nullopt);
  EXPECT_EQ(resolve_provider("tc", kTcpCandidates), std::nullopt);
  EXPECT_EQ(resolve_provider("tcp;ofi_rxd", kTcpCandidates), std::nullopt);
  EXPECT_EQ(resolve_provider("efa", kTcpCandidates), std::nullopt);
}

TEST(ResolveProvider, TellsTheTwoFabricsOfEfaApart) {
  Candidate direct = candidate("efa", "rdmap79s0-rdm");
  direct.fabric = "efa-direct";
  Candidate plain = candidate("efa", "rdmap79s0-rdm");
  const std::vector<Candidate> all{direct, plain};
  EXPECT_EQ(select(all, {.provider = "efa"}, {}), 1u);
  EXPECT_EQ(select(all, {.provider = "efa-direct"}, {}), 0u);
  EXPECT_EQ(resolve_provider("", all), "efa");
  const std::vector<Candidate> direct_alone{direct};
  EXPECT_EQ(resolve_provider("efa", direct_alone), std::nullopt);
}

TEST(ResolveProvider, AnyIsTheFirstThatReachesOtherHosts) {
  const std::vector<Candidate> all{candidate("shm", "shm"), candidate("tcp;ofi_rxm", "eth0")};
  EXPECT_EQ(resolve_provider("", all), "tcp;ofi_rxm");
  const std::vector<Candidate> shm_alone{candidate("shm", "shm")};
  EXPECT_EQ(resolve_provider("", shm_alone), std::nullopt);
}

TEST(Select, FollowsTheControlConnection) {
  EXPECT_EQ(chosen_ip({.provider = "tcp", .local_ip = "10.8.0.1"}), "10.8.0.1");
  EXPECT_EQ(chosen_ip({.provider = "tcp", .local_ip = "10.9.0.1"}), "10.9.0.1");
  EXPECT_EQ(chosen_ip({.provider = "tcp", .local_ip = "172.17.0.1"}), "172.17.0.1");
}

TEST(Select, KnowsWrittenFormsOfAnAddress) {
  EXPECT_EQ(chosen_ip({.provider = "tcp", .local_ip = "::ffff:10.9.0.1"}), "10.9.0.1");
  EXPECT_EQ(chosen_ip({.provider = "tcp", .local_ip = "fe80::1%eth1"}), "fe80::1");
}

TEST(Select, TakesTheInterfaceThatOwnsTheAddressInItsFamily) {
  EXPECT_EQ(chosen_ip({.provider = "tcp", .local_ip = "10.8.0.7"}), "10.8.0.1");
}

TEST(Select, StaysOnLoopbackWithTheControlConnection) {
  EXPECT_EQ(chosen_ip({.provider = "tcp", .local_ip = "127.0.0.1"}), "127.0.0.1");
  EXPECT_EQ(chosen_ip({.provider = "tcp", .local_ip = "::1"}), "::1");
}

TEST(Select, LoopbackIsLastWithoutIt) {
  EXPECT_EQ(chosen_ip({.provider = "tcp"}), "10.9.0.1");
  EXPECT_EQ(chosen_ip({.provider = "tcp", .local_ip = "192.0.2.77"}), "10.9.0.1");
}

TEST(Select, PrefersActiveThenPhysicalThenIpv4) {
  std::vector<Candidate> all{candidate("tcp", "a", "10.0.0.1"), candidate("tcp", "b", "10.0.1.1"),
                             candidate("tcp", "c", "fd00::1")};
  all[0].active = false;
  EXPECT_EQ(select(all, {.provider = "tcp"}, {}), 1u);
  all[1].physical = false;
  EXPECT_EQ(select(all, {.provider = "tcp"}, {}), 2u);
}

TEST(Select, TakesTheLowestNameOfEquals) {
  const std::vector<Candidate> all{candidate("efa", "rdmap80s0-rdm"),
                                   candidate("efa", "rdmap79s0-rdm")};
  EXPECT_EQ(select(all, {.provider = "efa"}, {}), 1u);
}

TEST(Select, TakesTheFirstOfTheSameDomain) {
  const std::vector<Candidate> all{candidate("shm", "shm"), candidate("shm", "shm")};
  EXPECT_EQ(select(all, {.provider = "shm"}, {}), 0u);
}

TEST(Select, TakesTheDomainAskedForByEitherName) {
  EXPECT_EQ(chosen_ip({.provider = "tcp", .domain = "eth1", .local_ip = "10.9.0.1"}), "10.8.0.1");
  std::vector<Candidate> efa{candidate("efa", "rdmap79s0-rdm"), candidate("efa", "rdmap80s0-rdm")};
  efa[0].nic = "rdmap79s0";
  efa[1].nic = "rdmap80s0";
  EXPECT_EQ(select(efa, {.provider = "efa", .domain = "rdmap80s0"}, {}), 1u);
  EXPECT_EQ(select(efa, {.provider = "efa", .domain = "rdmap80s0-rdm"}, {}), 1u);
}

TEST(Select, FindsNothingForAnUnknownDomain) {
  EXPECT_EQ(chosen_ip({.provider = "tcp", .domain = "nosuch0"}), "none");
}

TEST(MissesTheNetwork, WhenLoopbackAnswersForANetwork) {
  const Candidate loopback = candidate("tcp;ofi_rxm", "lo", "127.0.0.1", false);
  EXPECT_TRUE(misses_the_network(loopback, {.provider = "tcp", .local_ip = "10.9.0.1"}));
  EXPECT_FALSE(misses_the_network(loopback, {.provider = "tcp", .local_ip = "127.0.0.1"}));
  EXPECT_FALSE(misses_the_network(loopback, {.provider = "tcp", .local_ip = "::1"}));
  EXPECT_FALSE(misses_the_network(loopback, {.provider = "tcp"}));
  EXPECT_FALSE(
      misses_the_network(loopback, {.provider = "tcp", .domain = "lo", .local_ip = "10.9.0.1"}));
}

TEST(MissesTheNetwork, NeverWithoutAnIpAddressOrOnAnotherNetwork) {
  const Request request{.provider = "efa", .local_ip = "10.9.0.1"};
  EXPECT_FALSE(misses_the_network(candidate("efa", "rdmap79s0-rdm"), request));
  EXPECT_FALSE(misses_the_network(candidate("verbs;ofi_rxm", "mlx5_0", "10.7.0.1"), request));
}

}  // namespace
}  // namespace pairbench::libfabric
