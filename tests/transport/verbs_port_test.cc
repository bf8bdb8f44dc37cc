#include <gtest/gtest.h>

#include "transport/verbs/capabilities.h"
#include "transport/verbs/port.h"

namespace pairbench::verbs {
namespace {

TEST(VerbsPort, RatesAreBitsASecond) {
  EXPECT_EQ(parse_rate("100 Gb/sec (4X EDR)"), 100'000'000'000u);
  EXPECT_EQ(parse_rate("2.5 Gb/sec (1X SDR)"), 2'500'000'000u);
  EXPECT_EQ(parse_rate("100 Mb/sec"), std::nullopt);
  EXPECT_EQ(parse_rate("fast"), std::nullopt);
}

TEST(VerbsCapabilities, SayWhatIsOpenedAndHow) {
  Choice choice;
  choice.port.device = "rxe0";
  choice.port.ethernet = true;
  choice.port.active_mtu_bytes = 1024;
  choice.port.max_work_requests = 16384;
  choice.port.max_inline = 220;
  choice.port.software = true;
  choice.gid = Gid{1, gid_of_ip("10.0.0.1"), GidType::roce_v2};
  const Capabilities c = capabilities_of(choice);
  EXPECT_EQ(c.opened, "verbs:rxe0/1/1");
  EXPECT_EQ(c.max_tx_depth, 16384u);
  EXPECT_EQ(c.max_inline, 220u);
  EXPECT_TRUE(c.completions_ordered);
  EXPECT_TRUE(c.event_wait);
  EXPECT_EQ(c.details.at("gid"), "::ffff:10.0.0.1");
  EXPECT_EQ(c.details.at("gid_type"), "RoCE v2");
  EXPECT_EQ(c.details.at("retry_cnt"), "6");
  choice.gid.reset();
  EXPECT_EQ(capabilities_of(choice).opened, "verbs:rxe0/1");
}

}  // namespace
}  // namespace pairbench::verbs
