#include <gtest/gtest.h>
#include <rdma/fi_errno.h>

#include "transport/contains.h"
#include "transport/libfabric/errors.h"

namespace pairbench::libfabric {
namespace {

constexpr const char* kEfa = "libfabric:efa/rdmap79s0-rdm";
constexpr const char* kTcp = "libfabric:tcp+ofi_rxm/eth0";

fi_cq_err_entry entry_of(int error, int prov_errno, std::uint64_t flags = FI_SEND) {
  fi_cq_err_entry entry{};
  entry.err = error;
  entry.prov_errno = prov_errno;
  entry.flags = flags;
  return entry;
}

TEST(LibfabricErrors, NamesErrorsByWordsAndNumber) {
  EXPECT_EQ(error_text(-FI_ECONNREFUSED), "Connection refused (-111)");
  EXPECT_EQ(error_text(FI_ECONNREFUSED), "Connection refused (-111)");
}

TEST(LibfabricErrors, ShowsErrorProviderErrorAndProvidersWords) {
  const Failure failure =
      completion_failure(entry_of(FI_EIO, 42, FI_RECV), "local fault", kTcp, 64);
  EXPECT_EQ(failure.phase, Phase::measure);
  EXPECT_TRUE(contains(failure.message, "receive"));
  EXPECT_TRUE(contains(failure.message, kTcp));
  EXPECT_TRUE(contains(failure.cause, "Input/output error (-5)"));
  EXPECT_TRUE(contains(failure.cause, "42"));
  EXPECT_TRUE(contains(failure.cause, "local fault"));
}

TEST(LibfabricErrors, LeavesOutWordsThatSayNothing) {
  const Failure failure = completion_failure(entry_of(FI_EIO, -42), "Unknown error -42", kTcp, 64);
  EXPECT_FALSE(contains(failure.cause, "Unknown error"));
}

TEST(LibfabricErrors, TakesNegativeErrorsToo) {
  const Failure failure =
      completion_failure(entry_of(-FI_ETRUNC, FI_ETRUNC, FI_RECV), "", kTcp, 16);
  EXPECT_TRUE(contains(failure.message, "16 bytes"));
  EXPECT_EQ(failure.status, ExitStatus::failed);
}

TEST(LibfabricErrors, TruncationNamesBothSizes) {
  fi_cq_err_entry entry = entry_of(FI_ETRUNC, -FI_ETRUNC, FI_RECV);
  entry.olen = 48;
  const Failure failure = completion_failure(entry, "", kTcp, 16);
  EXPECT_TRUE(contains(failure.message, "64 bytes"));
  EXPECT_TRUE(contains(failure.message, "16 bytes"));
}

TEST(LibfabricErrors, AVanishedPeerIsThePeersFault) {
  const Failure failure = completion_failure(entry_of(FI_ECONNRESET, 0), "", kTcp, 0);
  EXPECT_EQ(failure.status, ExitStatus::peer);
  EXPECT_FALSE(failure.hint.empty());
}

TEST(LibfabricErrors, KnowsEfasStatuses) {
  const auto failure = [](int prov_errno) {
    return completion_failure(entry_of(FI_EIO, prov_errno), "", kEfa, 0);
  };
  EXPECT_TRUE(contains(failure(15).hint, "security group"));
  EXPECT_TRUE(contains(failure(13).hint, "security group"));
  EXPECT_TRUE(contains(failure(15).cause, "15"));
  EXPECT_TRUE(contains(failure(9).cause, "queue pair"));
  EXPECT_TRUE(contains(failure(10).cause, "no receive"));
  EXPECT_TRUE(contains(failure(11).cause, "longer than its receive"));
  EXPECT_TRUE(contains(failure(14).cause, "address"));
  EXPECT_EQ(failure(15).status, ExitStatus::peer);
  EXPECT_TRUE(
      contains(completion_failure(entry_of(FI_EIO, 15), "", "libfabric:efa-direct/d", 0).hint,
               "security group"));
}

TEST(LibfabricErrors, OtherProvidersNumbersAreNotEfas) {
  EXPECT_FALSE(contains(completion_failure(entry_of(FI_EIO, 15), "", kTcp, 0).hint, "security"));
}

TEST(LibfabricErrors, SharedMemoryNeedsPtraceRights) {
  const Failure failure = completion_failure(entry_of(FI_EIO, 5), "", "libfabric:shm/shm", 0);
  EXPECT_TRUE(contains(failure.hint, "ptrace"));
  EXPECT_TRUE(contains(failure.hint, "FI_SHM_DISABLE_CMA"));
}

TEST(LibfabricErrors, FailedCallsThrowWithTheirPhase) {
  try {
    throw_call("fi_domain", -FI_EMFILE, kTcp, Phase::device);
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().status, ExitStatus::no_device);
    EXPECT_EQ(error.failure().phase, Phase::device);
    EXPECT_TRUE(contains(error.failure().cause, "fi_domain: Too many open files"));
    EXPECT_TRUE(contains(error.failure().hint, "ulimit -n"));
  }
  try {
    throw_post("send", -FI_ECONNREFUSED, kTcp);
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().status, ExitStatus::peer);
    EXPECT_TRUE(contains(error.failure().message, "cannot post a send"));
  }
}

}  // namespace
}  // namespace pairbench::libfabric
