#include "report/read_document.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/error.h"
#include "report/document_json.h"
#include "report/partial.h"
#include "report/posix_file.h"

namespace pairbench {
namespace {

constexpr std::string_view kStandardInput = "-";

[[noreturn]] void refuse_to_read(const std::string& name, std::string cause,
                                 std::string hint = {}) {
  throw Error(ExitStatus::failed, Phase::read, "cannot read " + name, std::move(cause),
              std::move(hint));
}

std::string_view kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "folder";
  if (S_ISCHR(mode)) return "character device";
  return S_ISBLK(mode) ? "block device" : "socket";
}

void require_document_size(const std::string& name, std::uint64_t bytes) {
  if (bytes > kMostDocumentBytes)
    refuse_to_read(
        name, fmt::format("it has {} bytes, a result has at most {}", bytes, kMostDocumentBytes));
}

// Whether it is a pipe, such as a shell's <(command); throws for all that holds no result.
bool is_pipe(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) throw_errno();
  if (S_ISFIFO(status.st_mode)) return true;
  if (S_ISDIR(status.st_mode)) refuse_to_read(path, "it is a folder", "name a file in it");
  if (!S_ISREG(status.st_mode))
    refuse_to_read(path, fmt::format("it is a {}, not a file", kind_of(status.st_mode)),
                   "give - and the result on standard input");
  require_document_size(path, static_cast<std::uint64_t>(status.st_size));
  return false;
}

std::string read_bounded(int fd, const std::string& name) {
  try {
    return read_all(fd, kMostDocumentBytes);
  } catch (const std::system_error& error) {
    if (error.code().value() != EFBIG) throw;
    refuse_to_read(name, fmt::format("it has more bytes than a result, which has at most {}",
                                     kMostDocumentBytes));
  }
}

// Opened without waiting for a writer; some files of the kernel's would be waited for, too.
std::string read_file_text(const std::string& path) {
  const bool pipe = is_pipe(path);
  const auto file = open_file(path, O_RDONLY | O_NOCTTY | O_NONBLOCK);
  if (pipe && ::fcntl(file.get(), F_SETFL, 0) != 0) throw_errno();
  std::string text = read_bounded(file.get(), path);
  if (pipe && text.empty()) refuse_to_read(path, "it is a pipe that nobody writes to");
  return text;
}

std::string name_of_source(const std::string& path) {
  return path == kStandardInput ? "standard input" : path;
}

}  // namespace

std::string read_document_text(const std::string& path) {
  const std::string name = name_of_source(path);
  try {
    return path == kStandardInput ? read_bounded(STDIN_FILENO, name) : read_file_text(path);
  } catch (const std::system_error& error) {
    const std::string partial = path + ".partial";
    const bool unfinished = ::access(partial.c_str(), R_OK) == 0;
    refuse_to_read(name, error.code().message(),
                   unfinished ? "its run did not end: try " + partial : "");
  }
}

ResultDocument parse_stored(std::string_view text, const std::string& name) {
  return is_partial(text) ? parse_partial(text, name) : parse_document(text, name);
}

ResultDocument read_document(const std::string& path) {
  return parse_stored(read_document_text(path), name_of_source(path));
}

}  // namespace pairbench
