#include "base/nic_counters.h"

#include <gtest/gtest.h>

#include "base/temp_dir.h"

namespace pairbench {
namespace {

TEST(NicCounters, OfAnRdmaDeviceAreThoseOfTrouble) {
  const test::TempDir root;
  const std::string device = "sys/class/infiniband/rxe0/";
  root.write(device + "hw_counters/lifespan", "10\n");
  root.write(device + "ports/1/hw_counters/rcvd_rnr_err", "3\n");
  root.write(device + "ports/1/hw_counters/out_of_seq_request", "4\n");
  root.write(device + "ports/1/hw_counters/sent_pkts", "99\n");
  root.write(device + "ports/1/counters/port_rcv_errors", "1\n");
  root.write(device + "ports/1/counters/port_xmit_discards", "N/A (no PMA)\n");
  root.write(device + "ports/2/hw_counters/rcvd_rnr_err", "5\n");
  const NicCounters expected{
      {"rcvd_rnr_err", 8}, {"out_of_seq_request", 4}, {"port_rcv_errors", 1}};
  EXPECT_EQ(read_nic_counters("rxe0", root.path()), expected);
}

TEST(NicCounters, OfANetworkInterfaceComeWithTcpsRetransmissions) {
  const test::TempDir root;
  root.write("sys/class/net/eth0/statistics/rx_dropped", "2\n");
  root.write("sys/class/net/eth0/statistics/rx_packets", "100\n");
  root.write("proc/net/snmp",
             "Ip: Forwarding\nIp: 1\n"
             "Tcp: RtoAlgorithm MaxConn InSegs OutSegs RetransSegs InErrs\n"
             "Tcp: 1 -1 1000 900 17 0\n");
  const NicCounters expected{{"rx_dropped", 2}, {"tcp_retransmitted_segments", 17}};
  EXPECT_EQ(read_nic_counters("eth0", root.path()), expected);
}

TEST(NicCounters, OfWhatIsNoAdapterAreUnknown) {
  const test::TempDir root;
  root.write("sys/class/net/eth0/statistics/rx_dropped", "2\n");
  for (const char* name : {"", "shm", "inproc", "../net/eth0", "eth0/statistics"})
    EXPECT_EQ(read_nic_counters(name, root.path()), std::nullopt) << name;
}

TEST(NicCounters, ADriversMinusOneIsNoRise) {
  EXPECT_EQ(risen({{"a", 0}, {"b", 0}}, {{"a", UINT64_MAX}, {"b", 1}}), (NicCounters{{"b", 1}}));
}

TEST(NicCounters, RiseWhereBothReadingsHaveThem) {
  EXPECT_EQ(risen({{"a", 1}, {"b", 5}, {"c", 7}}, {{"a", 4}, {"b", 5}, {"c", 6}, {"d", 9}}),
            (NicCounters{{"a", 3}}));
}

}  // namespace
}  // namespace pairbench
