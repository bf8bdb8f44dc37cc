#include "plan/transport_spec.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace pairbench {
namespace {

TEST(TransportSpec, ReadsEveryForm) {
  const auto plain = parse_transport("inproc");
  EXPECT_EQ(plain.kind, TransportKind::inproc);
  EXPECT_EQ(plain.label, "inproc");

  const auto any = parse_transport("libfabric");
  EXPECT_EQ(any.kind, TransportKind::libfabric);
  EXPECT_EQ(any.provider, "");

  const auto layered = parse_transport("libfabric:verbs+ofi_rxm/rxe0");
  EXPECT_EQ(layered.provider, "verbs;ofi_rxm");
  EXPECT_EQ(layered.device, "rxe0");
  EXPECT_EQ(layered.peer_device, "rxe0");
  EXPECT_EQ(parse_transport("libfabric:verbs;ofi_rxm/rxe0").text, "libfabric:verbs+ofi_rxm/rxe0");

  const auto verbs = parse_transport("verbs:mlx5_0,mlx5_1/1/3");
  EXPECT_EQ(verbs.kind, TransportKind::verbs);
  EXPECT_EQ(verbs.device, "mlx5_0");
  EXPECT_EQ(verbs.peer_device, "mlx5_1");
  EXPECT_EQ(verbs.port, 1);
  EXPECT_EQ(verbs.gid_index, 3);

  const auto labelled = parse_transport("new=libfabric:tcp");
  EXPECT_EQ(labelled.label, "new");
  EXPECT_EQ(labelled.text, "libfabric:tcp");
  EXPECT_EQ(labelled.provider, "tcp");
}

class Refused : public ::testing::TestWithParam<const char*> {};

TEST_P(Refused, WithAUsageErrorThatNamesTheText) {
  try {
    parse_transport(GetParam());
    FAIL() << GetParam();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().status, ExitStatus::usage);
    EXPECT_NE(std::string(error.what()).find(GetParam()), std::string::npos);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Refused,
                         ::testing::Values("", "tcp", "libfabric:", "libfabric:/eth0",
                                           "libfabric:tcp/a,b,c", "libfabric:tcp/a,", "inproc:x",
                                           "verbs:rxe0/x", "verbs:rxe0/1/256", "verbs:rxe0/1/2/3",
                                           "verbs-srd:efa0", "=inproc", "lib fabric",
                                           "a\x1b[31m=inproc", "x=verbs:a=b", "x=", "verbs:"));

}  // namespace
}  // namespace pairbench
