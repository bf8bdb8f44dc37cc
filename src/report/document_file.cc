#include "report/document_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "report/document_json.h"

namespace pairbench {
namespace {

constexpr const char* kElsewhere = "choose another place with --out, or run with --no-save";

[[noreturn]] void refuse(std::string what, std::string cause, std::string hint = kElsewhere) {
  throw Error(ExitStatus::failed, Phase::save, std::move(what), std::move(cause), std::move(hint));
}

// Letters, digits, '.', '_' and '-' alone, and not too many.
std::string safe(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string name(text.substr(0, kMost));
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char c) {
        return c > 127 || (std::isalnum(c) == 0 && c != '.' && c != '_' && c != '-');
      },
      '_');
  return name.empty() ? "unknown" : name;
}

// "2026-11-29T14:02:11Z" -> "20261129T140211Z"
std::string compact_time(std::string time) {
  if (const auto dot = time.find('.'); dot != std::string::npos)
    time.replace(dot, std::string::npos, "Z");
  std::erase_if(time, [](char c) { return c == '-' || c == ':'; });
  return time;
}

std::optional<struct stat> status_of(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) == 0) return status;
  const int error = errno;
  if (error == ENOENT && ::lstat(path.c_str(), &status) != 0) return std::nullopt;
  refuse("cannot write " + path, error == ENOENT ? "it is a symbolic link that leads nowhere"
                                                 : std::generic_category().message(error));
}

// A reader that is not there yet would hold the open up for ever.
Descriptor open_stream(const std::string& path) {
  Descriptor stream = open_file(path, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  if (::fcntl(stream.get(), F_SETFL, 0) != 0) throw_errno();
  return stream;
}

Descriptor open_special(const std::string& path, mode_t mode) {
  if (S_ISDIR(mode)) refuse("cannot write " + path, "it is a folder", "name a file in it");
  if (!S_ISFIFO(mode) && !S_ISCHR(mode))
    refuse("cannot write " + path, "it is neither a file nor a pipe nor a character device");
  try {
    return open_stream(path);
  } catch (const std::system_error& error) {
    if (S_ISFIFO(mode) && error.code().value() == ENXIO)
      refuse("cannot write " + path, "nobody reads from this FIFO", "start its reader first");
    refuse("cannot write " + path, error.code().message());
  }
}

void require_replaceable(const std::string& path, bool force) {
  if (!force)
    refuse(path + " exists", "a result is not overwritten unasked",
           "name another file with --out, or replace it by --force");
  if (::access(path.c_str(), W_OK) != 0)
    refuse("cannot write " + path, std::generic_category().message(errno));
}

void write_beside(const std::string& beside, const std::string& text) {
  const Descriptor file = open_file(beside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
  write_all(file.get(), text);
  sync(file.get());
}

}  // namespace

std::string default_file_name(const ResultDocument& document) {
  const std::string initiator = document.initiator_host.hostname;
  const auto& responder = document.responder_host;
  constexpr std::size_t kShortId = 4;
  return fmt::format("pairbench-{}-{}-{}-{}.json", safe(compact_time(document.run.started_at)),
                     safe(initiator), safe(responder ? responder->hostname : initiator),
                     safe(document.run.id.substr(0, kShortId)));
}

DocumentFile::DocumentFile(std::string path, bool force) : path_(std::move(path)) {
  if (path_ == "/dev/stdout" || path_ == "/dev/stderr") {
    stream_ = duplicate(path_ == "/dev/stdout" ? STDOUT_FILENO : STDERR_FILENO);
    return;
  }
  if (path_.empty()) refuse("cannot write a file without a name", "");
  const auto status = status_of(path_);
  if (status && !S_ISREG(status->st_mode)) {
    stream_ = open_special(path_, status->st_mode);
    return;
  }
  if (status) {
    path_ = std::filesystem::canonical(path_).string();
    require_replaceable(path_, force);
  }
  may_replace_ = force || std::filesystem::is_symlink(path_);
  partial_.emplace(path_ + ".partial", force);
}

DocumentFile::~DocumentFile() {
  if (partial_ && !holds_results_) partial_->remove();
}

void DocumentFile::begin(const ResultDocument& document) {
  begun_ = true;
  try {
    append_line(partial_header(document));
  } catch (...) {
    begun_ = false;
    throw;
  }
}

void DocumentFile::append(std::size_t case_index, const RepeatResult& repeat) {
  append_line(partial_repeat(case_index, repeat));
  holds_results_ = begun_;
}

void DocumentFile::append_end(std::size_t case_index, CaseStatus status,
                              const std::string& reason) {
  append_line(partial_end(case_index, status, reason));
}

void DocumentFile::append_line(const std::string& line) {
  if (!partial_ || !begun_) return;
  try {
    partial_->append(line);
  } catch (const std::system_error& error) {
    holds_all_ = false;
    refuse("cannot append to " + partial_->path(), error.code().message(), "make room on the disk");
  }
}

void DocumentFile::commit(const ResultDocument& document) {
  const std::string text = document_text(document);
  try {
    if (!partial_) return write_all(stream_.get(), text);
    replace(text);
    may_replace_ = true;  // it is this one's from now on
    sync_folder_of(path_);
  } catch (const std::system_error& error) {
    refuse("cannot write " + path_, error.code().message(),
           !partial_ || !holds_results_ ? ""
           : !partial_->is_there()      ? partial_->path() + " is gone as well"
           : holds_all_                 ? "what was measured is in " + partial_->path()
                                        : "part of what was measured is in " + partial_->path());
  }
  partial_->remove();
  holds_results_ = false;
}

// What came there after the start is somebody else's, and stays unless it may be replaced.
void DocumentFile::move(const std::string& from) {
  if (!may_replace_ &&
      ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) == 0)
    return;
  const bool unknown = errno == EINVAL || errno == ENOSYS;  // to this file system
  if (!may_replace_ && !unknown) throw_errno();
  if (::rename(from.c_str(), path_.c_str()) != 0) throw_errno();
}

void DocumentFile::replace(const std::string& text) {
  const std::string beside = fmt::format("{}.{}.new", path_, ::getpid());
  try {
    write_beside(beside, text);
    move(beside);
  } catch (const std::system_error&) {
    ::unlink(beside.c_str());
    throw;
  }
}

}  // namespace pairbench
