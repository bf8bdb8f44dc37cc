#include <gtest/gtest.h>

#include "base/error.h"
#include "transport/verbs/selection.h"

namespace pairbench::verbs {
namespace {

Gid gid(int index, std::string_view ip, GidType type = GidType::roce_v2) {
  return {index, gid_of_ip(ip), type};
}

PortFacts port(std::string device, std::vector<Gid> gids = {}, int number = 1) {
  PortFacts facts;
  facts.device = std::move(device);
  facts.port = number;
  facts.ethernet = true;
  facts.active = true;
  facts.state = "up";
  facts.gids = std::move(gids);
  facts.gid_rows = 16;
  return facts;
}

// As a RoCE adapter lists them: link-local first, each address as v1 and v2.
const std::vector<Gid> kGids{gid(0, "fe80::1", GidType::roce_v1),  gid(1, "fe80::1"),
                             gid(2, "10.0.0.1", GidType::roce_v1), gid(3, "10.0.0.1"),
                             gid(4, "fd00::1", GidType::roce_v1),  gid(5, "fd00::1")};

std::string complaint(std::span<const PortFacts> ports, const Request& request) {
  try {
    select(ports, request);
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().status, ExitStatus::no_device);
    EXPECT_EQ(error.failure().phase, Phase::device);
    return describe(error.failure());
  }
  return "no complaint";
}

TEST(VerbsSelect, TakesRoceV2OfTheControlConnectionsAddress) {
  const std::vector<PortFacts> ports{port("mlx5_0", kGids)};
  EXPECT_EQ(select(ports, {.local_ip = "10.0.0.1"}).gid->index, 3);
  EXPECT_EQ(select(ports, {.local_ip = "::ffff:10.0.0.1"}).gid->index, 3);
  EXPECT_EQ(select(ports, {.local_ip = "fd00::1"}).gid->index, 5);
}

TEST(VerbsSelect, TakesTheSameFamilyWhereTheAddressIsAnothers) {
  const std::vector<PortFacts> ports{port("mlx5_0", kGids)};
  EXPECT_EQ(select(ports, {.local_ip = "192.168.7.7"}).gid->index, 3);
  EXPECT_EQ(select(ports, {.local_ip = "fd77::7"}).gid->index, 5);
  EXPECT_EQ(select(ports, {}).gid->index, 3);
}

TEST(VerbsSelect, TakesLinkLocalAndV1WhereThereIsNothingElse) {
  const std::vector<PortFacts> local{port("a", {kGids[0], kGids[1]})};
  EXPECT_EQ(select(local, {.local_ip = "10.0.0.9"}).gid->index, 1);
  const std::vector<PortFacts> old{port("a", {kGids[0], kGids[2]})};
  EXPECT_EQ(select(old, {}).gid->index, 2);
}

TEST(VerbsSelect, TakesTheGidAskedFor) {
  const std::vector<PortFacts> ports{port("mlx5_0", kGids)};
  EXPECT_EQ(select(ports, {.device = "mlx5_0", .port = 1, .gid_index = 0}).gid->index, 0);
}

TEST(VerbsSelect, RefusesARowThatIsEmptyOrOutside) {
  const std::vector<PortFacts> ports{port("mlx5_0", kGids)};
  const std::string empty = complaint(ports, {.gid_index = 9});
  EXPECT_NE(empty.find("verbs:mlx5_0/1 has no GID 9"), std::string::npos) << empty;
  EXPECT_NE(empty.find("that row is empty"), std::string::npos) << empty;
  EXPECT_NE(empty.find("3 RoCE v2 ::ffff:10.0.0.1"), std::string::npos) << empty;
  EXPECT_NE(complaint(ports, {.gid_index = 16}).find("has 16 rows"), std::string::npos);
}

TEST(VerbsSelect, NeedsNoGidOnInfiniBand) {
  PortFacts facts = port("mlx5_0", {gid(0, "fe80::2", GidType::ib)});
  facts.ethernet = false;
  EXPECT_EQ(select(std::vector{facts}, {}).gid, std::nullopt);
  EXPECT_EQ(select(std::vector{facts}, {.gid_index = 0}).gid->index, 0);
}

TEST(VerbsSelect, PrefersTheDeviceOnTheControlConnectionsRoad) {
  const std::vector<PortFacts> ports{port("a", {gid(1, "10.1.0.1")}),
                                     port("b", {gid(1, "10.2.0.1")})};
  EXPECT_EQ(select(ports, {.local_ip = "10.2.0.1"}).port.device, "b");
  EXPECT_EQ(select(ports, {.local_ip = "10.3.0.1"}).port.device, "a");
  EXPECT_EQ(select(ports, {.device = "b", .local_ip = "10.1.0.1"}).port.device, "b");
}

TEST(VerbsSelect, PassesOverPortsThatAreDown) {
  std::vector<PortFacts> ports{port("a", kGids), port("a", kGids, 2)};
  ports[0].active = false;
  ports[0].state = "down";
  EXPECT_EQ(select(ports, {}).port.port, 2);
  const std::string down = complaint(ports, {.device = "a", .port = 1});
  EXPECT_NE(down.find("the port is down"), std::string::npos) << down;
  EXPECT_NE(down.find("verbs:a/2"), std::string::npos) << down;
}

TEST(VerbsSelect, SaysThatEfaHasNoRc) {
  PortFacts efa = port("rdmap79s0");
  efa.is_efa = true;
  efa.has_rc = false;
  const std::string said = complaint(std::vector{efa}, {.device = "rdmap79s0"});
  EXPECT_NE(said.find("EFA has no RC queue pairs (UD and SRD only): use libfabric:efa"),
            std::string::npos)
      << said;
}

TEST(VerbsSelect, SaysWhatThereIsNot) {
  EXPECT_NE(complaint({}, {}).find("no RDMA device for verbs:any device"), std::string::npos);
  const std::vector<PortFacts> ports{port("a", kGids)};
  const std::string said = complaint(ports, {.device = "nosuch0"});
  EXPECT_NE(said.find("no such RDMA port: verbs:nosuch0"), std::string::npos) << said;
  EXPECT_NE(said.find("verbs:a/1"), std::string::npos) << said;
  EXPECT_NE(complaint(std::vector{port("a")}, {}).find("no GID"), std::string::npos);
}

}  // namespace
}  // namespace pairbench::verbs
