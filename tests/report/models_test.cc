#include "report/models.h"

#include <gtest/gtest.h>

#include "report/samples.h"

namespace pairbench {
namespace {

// One way: 2 us and 0.5 ns a byte up to 16K, 9 us and 0.25 ns a byte beyond.
ResultDocument with_a_switch() {
  ResultDocument document = samples::two_transports();
  document.cases.clear();
  for (std::uint64_t size = 1; size <= 1 << 22; size *= 2) {
    const auto n = static_cast<double>(size);
    const double one_way = size <= 16384 ? 2000 + 0.5 * n : 9000 + 0.25 * n;
    document.cases.push_back(samples::pingpong(1, size, {2 * one_way}));
  }
  return document;
}

TEST(Models, AreOfOneWayAndNameTheSwitch) {
  const auto models = latency_models(with_a_switch());
  ASSERT_EQ(models.size(), 1u);
  EXPECT_EQ(models[0].transport, 1);
  ASSERT_EQ(models[0].pieces.size(), 2u);
  EXPECT_NEAR(models[0].pieces[0].alpha_ns, 2000, 1);
  EXPECT_EQ(render_models(with_a_switch()),
            "# one way as startup time and rate, verbs:rxe0/1/1\n"
            "#   1 to 16K: 2.00 us and 16.0 Gb/s, half of it at 4000 bytes\n"
            "#   protocol switch between 16K and 32K\n"
            "#   32K to 4M: 9.00 us and 32.0 Gb/s, half of it at 36000 bytes\n");
}

TEST(Models, FewSizesHaveNone) {
  EXPECT_TRUE(latency_models(samples::two_hosts()).empty());
  EXPECT_EQ(render_models(samples::two_hosts()), "");
}

}  // namespace
}  // namespace pairbench
