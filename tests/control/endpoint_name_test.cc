#include "control/endpoint_name.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace pairbench {
namespace {

TEST(EndpointName, FormsAreRead) {
  EXPECT_EQ(parse_endpoint_name("nodeB"), (EndpointName{"nodeB", 18600}));
  EXPECT_EQ(parse_endpoint_name("nodeB:18700"), (EndpointName{"nodeB", 18700}));
  EXPECT_EQ(parse_endpoint_name("node-b.example.org:1"), (EndpointName{"node-b.example.org", 1}));
  EXPECT_EQ(parse_endpoint_name("10.0.0.2:65535"), (EndpointName{"10.0.0.2", 65535}));
  EXPECT_EQ(parse_endpoint_name("::1"), (EndpointName{"::1", 18600}));
  EXPECT_EQ(parse_endpoint_name("[::1]"), (EndpointName{"::1", 18600}));
  EXPECT_EQ(parse_endpoint_name("[2001:db8::5]:80"), (EndpointName{"2001:db8::5", 80}));
  EXPECT_EQ(parse_endpoint_name("fe80::1%eth0"), (EndpointName{"fe80::1%eth0", 18600}));
  EXPECT_EQ(parse_endpoint_name("[fe80::1%eth0]:18700"), (EndpointName{"fe80::1%eth0", 18700}));
  EXPECT_EQ(parse_endpoint_name("::ffff:10.0.0.2"), (EndpointName{"::ffff:10.0.0.2", 18600}));
}

TEST(EndpointName, PrintedFormIsReadBack) {
  for (const char* text : {"nodeB:18700", "10.0.0.2:1", "[::1]:18600", "[fe80::1%eth0]:9"})
    EXPECT_EQ(to_string(parse_endpoint_name(text)), text);
}

TEST(EndpointName, AnythingElseIsAUsageErrorThatNamesTheText) {
  for (const std::string text : {"",
                                 ":",
                                 ":80",
                                 "nodeB:",
                                 "nodeB:0",
                                 "nodeB:65536",
                                 "nodeB:99999",
                                 "nodeB:http",
                                 "nodeB:-1",
                                 "nodeB:+5",
                                 "nodeB:80 ",
                                 "nodeB: 80",
                                 "nodeB:0x50",
                                 "node B",
                                 " nodeB",
                                 "a:b:c",
                                 "10.0.0.2:80:90",
                                 "[::1",
                                 "[::1]x",
                                 "[::1]:",
                                 "[::1]:0",
                                 "[nodeB]:80",
                                 "[]",
                                 "[]:80",
                                 "::1]",
                                 "fe80::1%",
                                 "fe80::1%eth0]:80",
                                 "fe80::1%eth\xff",
                                 "[fe80::1%]:80",
                                 "node\tB",
                                 "-t",
                                 "node/B",
                                 "1:2:3:4:5:6:7:8:9"}) {
    try {
      parse_endpoint_name(text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.failure().status, ExitStatus::usage) << text;
      EXPECT_NE(error.failure().message.find("'" + text + "'"), std::string::npos) << text;
      EXPECT_FALSE(error.failure().hint.empty());
    }
  }
  EXPECT_THROW(parse_endpoint_name(std::string(300, 'a')), Error);
}

}  // namespace
}  // namespace pairbench
