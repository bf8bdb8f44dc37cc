#include "report/read_document.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.h"
#include "report/document_json.h"
#include "report/posix_file.h"
#include "report/samples.h"
#include "report/temporary_folder.h"

namespace pairbench {
namespace {

Failure failure_to_read(const std::string& path) {
  try {
    read_document(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().status, ExitStatus::failed);
    EXPECT_EQ(error.failure().phase, Phase::read);
    return error.failure();
  }
  ADD_FAILURE() << path << " was read";
  return {};
}

std::string cause(const std::string& path) {
  return failure_to_read(path).cause;
}

// Standard input comes from a file while it lives.
class StandardInput {
 public:
  explicit StandardInput(const std::string& path) : saved_(duplicate(STDIN_FILENO)) {
    ::dup2(open_file(path, O_RDONLY).get(), STDIN_FILENO);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  ~StandardInput() { ::dup2(saved_.get(), STDIN_FILENO); }

 private:
  Descriptor saved_;
};

TEST(ReadDocument, SaysWhyNot) {
  const TemporaryFolder folder;
  write_file(folder / "text", "# pairbench");
  EXPECT_EQ(cause(folder / "none"), "No such file or directory");
  EXPECT_EQ(cause(folder / "text/r.json"), "Not a directory");
  EXPECT_EQ(failure_to_read(folder / "text").message, folder / "text" + ": this is not JSON");
}

TEST(ReadDocument, RefusesWhatIsNoFileAndWaitsForNothing) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string place = folder / "socket";
  ASSERT_LT(place.size(), sizeof address.sun_path);
  std::ranges::copy(place, address.sun_path);
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(cause(folder / ""), "it is a folder");
  EXPECT_EQ(cause(folder / "fifo"), "it is a pipe that nobody writes to");
  EXPECT_EQ(cause(place), "it is a socket, not a file");
  EXPECT_EQ(cause("/dev/zero"), "it is a character device, not a file");
  std::filesystem::create_symlink("fifo", folder / "link");
  EXPECT_EQ(cause(folder / "link"), "it is a pipe that nobody writes to");
}

TEST(ReadDocument, RefusesAFileThatIsTooLargeByBothNumbers) {
  const TemporaryFolder folder;
  write_file(folder / "r.json", "{");
  std::filesystem::resize_file(folder / "r.json", kMostDocumentBytes + 1);
  EXPECT_EQ(cause(folder / "r.json"), "it has 1073741825 bytes, a result has at most 1073741824");
}

TEST(ReadDocument, ADashIsStandardInput) {
  const TemporaryFolder folder;
  write_file(folder / "r.json", document_text(samples::two_hosts()));
  write_file(folder / "empty", "");
  {
    const StandardInput input(folder / "r.json");
    EXPECT_EQ(document_text(read_document("-")), read_file(folder / "r.json"));
  }
  const StandardInput input(folder / "empty");
  EXPECT_EQ(failure_to_read("-").message, "standard input: the file is empty");
}

TEST(ReadAll, StopsBeyondWhatItIsToldToTake) {
  const TemporaryFolder folder;
  write_file(folder / "f", std::string(1000, 'x'));
  EXPECT_EQ(read_all(open_file(folder / "f", O_RDONLY).get(), 1000).size(), 1000u);
  EXPECT_THROW(read_all(open_file(folder / "f", O_RDONLY).get(), 999), std::system_error);
}

}  // namespace
}  // namespace pairbench
