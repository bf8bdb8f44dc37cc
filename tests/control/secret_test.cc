#include "control/secret.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support.h"

namespace pairbench {
namespace {

using namespace control_test;

const std::string kGood = "correct horse battery staple";

class SecretFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "pairbench-secret-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& content, mode_t mode = 0600) const {
    const std::string path = folder_ / "secret";
    std::ofstream(path) << content;
    EXPECT_EQ(chmod(path.c_str(), mode), 0);
    return path;
  }

  // Why the file is refused; the content is never part of it.
  std::string refusal(const std::string& path) const {
    const Failure failure = failure_of([&] { Secret::from_file(path); });
    EXPECT_EQ(failure.status, ExitStatus::failed);
    EXPECT_EQ(failure.message, "--secret-file: cannot take '" + path + "'");
    EXPECT_EQ(describe(failure).find(kGood), std::string::npos);
    return failure.cause;
  }

  std::filesystem::path folder_;
};

std::string hex(const Mac& mac) {
  std::string text;
  for (const unsigned char byte : mac) text += fmt::format("{:02x}", byte);
  return text;
}

Mac mac_of(const Secret& secret, const std::string& message) {
  return secret.mac({reinterpret_cast<const unsigned char*>(message.data()), message.size()});
}

// RFC 4231, test case 3 (20 bytes of 0xaa) and 6 (131 of them, more than a block).
TEST(Secret, MacIsHmacSha256) {
  EXPECT_EQ(hex(mac_of(Secret(std::string(20, '\xaa')), std::string(50, '\xdd'))),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
  EXPECT_EQ(hex(mac_of(Secret(std::string(131, '\xaa')),
                       "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_F(SecretFile, OneNewlineAtTheEndIsNoPartOfIt) {
  const Mac expected = mac_of(Secret(kGood), "x");
  EXPECT_EQ(mac_of(Secret::from_file(file(kGood)), "x"), expected);
  EXPECT_EQ(mac_of(Secret::from_file(file(kGood + "\n", 0400)), "x"), expected);
  EXPECT_EQ(mac_of(Secret::from_file(file(kGood + "\n\n")), "x"),
            mac_of(Secret(kGood + "\n"), "x"));
}

TEST_F(SecretFile, MayHoldAnyBytesAndBeALink) {
  const std::string bytes("\0\xff\r\n0123456789abcdef", 20);
  const std::string link = folder_ / "link";
  std::filesystem::create_symlink(file(bytes), link);
  EXPECT_EQ(mac_of(Secret::from_file(link), "x"), mac_of(Secret(bytes), "x"));
}

TEST_F(SecretFile, ThatOthersMayUseIsRefused) {
  for (const mode_t mode : {0640, 0604, 0644, 0660, 0602, 0610, 0601}) {
    const std::string cause = refusal(file(kGood, mode));
    EXPECT_NE(cause.find(fmt::format("mode {:04o}", mode)), std::string::npos) << cause;
  }
  Secret::from_file(file(kGood, 0700));
}

TEST_F(SecretFile, LengthHasBounds) {
  EXPECT_EQ(refusal(file("")), "it is empty");
  EXPECT_EQ(refusal(file("\n")), "it is empty");
  EXPECT_EQ(refusal(file(std::string(15, 'x') + "\n")), "it has 15 bytes, 16 are needed");
  EXPECT_EQ(refusal(file(std::string(4097, 'x'))), "it has more than 4096 bytes");
  EXPECT_EQ(refusal(file(std::string(1 << 20, '\n'))), "it has more than 4096 bytes");
  Secret::from_file(file(std::string(16, 'x')));
  Secret::from_file(file(std::string(4096, 'x') + "\n"));
}

TEST_F(SecretFile, MustBeARegularFile) {
  EXPECT_EQ(refusal(folder_), "it is no regular file");
  EXPECT_EQ(refusal("/dev/zero"), "it is no regular file");
  const std::string fifo = folder_ / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(refusal(fifo), "it is no regular file");
  EXPECT_EQ(refusal(folder_ / "missing"), "No such file or directory");
  EXPECT_EQ(refusal(""), "No such file or directory");
}

}  // namespace
}  // namespace pairbench
