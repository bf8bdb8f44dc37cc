#include "report/partial.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "plan/json.h"
#include "plan/json_fields.h"
#include "plan/json_parser.h"
#include "report/consistency.h"
#include "report/document_json.h"
#include "report/json_members.h"
#include "report/json_text.h"
#include "report/quality.h"
#include "report/repeat_json.h"

namespace pairbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kStart = R"({"partial":1,)";

[[noreturn]] void refuse_partial(const std::string& what, const std::string& hint = {}) {
  throw Error(ExitStatus::failed, Phase::save, what, {}, hint);
}

[[noreturn]] void refuse_text_of_partial(const std::string& what) {
  throw Error(ExitStatus::failed, Phase::read, what);
}

std::vector<std::string_view> whole_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos;) {
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

void apply(const Json& line, ResultDocument& document) {
  if (line.contains("error")) {
    read_member(line, "error", [&](const Json& m) { document.run.failure = m.get<Failure>(); });
    return;
  }
  if (line.contains("complete")) {
    read_field(line, "complete", document.run.complete);
    read_field(line, "ended_at", document.run.ended_at);
    return;
  }
  std::size_t index = 0;
  read_field(line, "case", index);
  if (index >= document.cases.size()) throw FormatError("case", "the document has no such case");
  CaseResult& result = document.cases[index];
  if (line.contains("result")) {
    read_member(line, "result",
                [&](const Json& m) { result.repeats.push_back(repeat_from_json(m)); });
    if (result.status == CaseStatus::not_run) result.status = CaseStatus::ok;
  } else {
    read_member(line, "status", [&](const Json& m) { result.status = parse_case_status(m); });
    read_field(line, "reason", result.reason);
  }
}

ResultDocument parse_lines(const std::vector<std::string_view>& lines, const std::string& name) {
  ResultDocument document;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    try {
      const Json line = parse_json(lines[i], kDocumentBounds);
      if (i > 0) {
        apply(line, document);
      } else {
        read_member(line, "document", [&](const Json& m) { document = document_from_json(m); });
        document.run.complete = false;
      }
    } catch (const FormatError& error) {
      refuse_text_of_partial(fmt::format("{}, line {}: {}", name, i + 1, error.what()));
    }
  }
  return document;
}

}  // namespace

std::string partial_header(const ResultDocument& document) {
  return one_line({{"partial", 1}, {"document", to_document_json(document)}}) + "\n";
}

std::string partial_repeat(std::size_t case_index, const RepeatResult& repeat) {
  return one_line({{"case", case_index}, {"result", to_repeat_json(repeat)}}) + "\n";
}

std::string partial_end(std::size_t case_index, CaseStatus status, const std::string& reason) {
  return one_line({{"case", case_index},
                   {"status", std::string(to_string(status))},
                   {"reason", reason}}) +
         "\n";
}

std::string partial_run(const RunInfo& run) {
  return one_line({{"ended_at", run.ended_at}, {"complete", run.complete}}) + "\n";
}

bool is_partial(std::string_view text) {
  return text.substr(0, kStart.size()) == kStart;
}

ResultDocument parse_partial(std::string_view text, const std::string& name) {
  const auto lines = whole_lines(text);
  if (lines.empty())
    refuse_text_of_partial(name + ": the run ended before its first line was written");
  ResultDocument document = parse_lines(lines, name);
  for (auto& result : document.cases) summarize(result);
  assess(document);
  try {
    require_consistent(document);
  } catch (const FormatError& error) {
    refuse_text_of_partial(fmt::format("{}: {}", name, error.what()));
  }
  return document;
}

PartialFile::PartialFile(std::string path, bool force) : path_(std::move(path)) {
  struct stat status;
  try {
    file_ = open_file(path_, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
    if (::fstat(file_.get(), &status) != 0) throw_errno();
  } catch (const std::system_error& error) {
    throw Error(ExitStatus::failed, Phase::save, "cannot write " + path_, error.code().message(),
                "choose another place with --out, or run with --no-save");
  }
  // Where locks do not work (some network file systems) the run goes on without.
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    refuse_partial(path_ + ": another run is writing to it", "name another file with --out");
  if (status.st_size > 0 && !force)
    refuse_partial(
        path_ + " holds a run that did not end",
        "look at it with: pairbench show " + path_ + "; then remove it, or replace it by --force");
  if (::ftruncate(file_.get(), 0) != 0)
    refuse_partial("cannot write " + path_ + ": it is no regular file",
                   "name another file with --out");
}

bool PartialFile::is_there() const {
  struct stat there;
  struct stat own;
  return ::stat(path_.c_str(), &there) == 0 && ::fstat(file_.get(), &own) == 0 &&
         there.st_dev == own.st_dev && there.st_ino == own.st_ino;
}

void PartialFile::append(std::string_view line) {
  try {
    write_all(file_.get(), line);
  } catch (const std::system_error&) {
    // A line cut short would spoil the next one.
    if (::ftruncate(file_.get(), size_) == 0) ::lseek(file_.get(), size_, SEEK_SET);
    throw;
  }
  size_ += static_cast<std::int64_t>(line.size());
}

void PartialFile::remove() noexcept {
  ::unlink(path_.c_str());
}

}  // namespace pairbench
