// Where a run's document goes. Everything that can be refused is refused before the run starts, and
// what was measured is never lost to a failure.
//
// A file (or none yet) at the path: an existing one is replaced only by force. Finished repeats are
// appended to FILE.partial; commit() writes beside, syncs and renames, so that at every moment FILE
// is the old document or the new one, whole. A symbolic link stays one: the file it leads to is
// replaced. A FIFO, a character device, /dev/stdout and /dev/stderr: written once, by commit(), in
// place and with no partial file. A FIFO needs its reader before the run starts. A folder, a link
// that leads nowhere, a block device and a socket are refused.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "report/document.h"
#include "report/partial.h"
#include "report/posix_file.h"

namespace pairbench {

// "pairbench-20261129T140211Z-nodeA-nodeB-3f2a.json", from the run's start, hosts and id. What does
// not belong into a file's name becomes '_'.
std::string default_file_name(const ResultDocument& document);

// Owned by one thread at a time. Every failure to write is an Error(failed, save).
class DocumentFile {
 public:
  // Proves that `path` can be written.
  DocumentFile(std::string path, bool force);
  DocumentFile(const DocumentFile&) = delete;
  DocumentFile& operator=(const DocumentFile&) = delete;
  // FILE.partial stays where it holds results that were not committed.
  ~DocumentFile();

  const std::string& path() const { return path_; }
  // Not a file that can be read again: a FIFO, a device, /dev/stdout.
  bool is_stream() const { return !partial_; }
  // Where finished repeats are kept meanwhile; nullptr where there is no such place.
  const std::string* partial_path() const { return partial_ ? &partial_->path() : nullptr; }

  // Whether that place still has every repeat that was appended.
  bool keeps_all() const { return partial_ && begun_ && holds_all_ && partial_->is_there(); }

  // Once, before the first append: the document with its cases decided and none run. Where this
  // failed, appends do nothing: without a beginning they could not be read.
  void begin(const ResultDocument& document);
  void append(std::size_t case_index, const RepeatResult& repeat);
  void append_end(std::size_t case_index, CaseStatus status, const std::string& reason);

  // Writes the document and ends the partial file. May be tried again after a failure.
  void commit(const ResultDocument& document);

 private:
  void append_line(const std::string& line);
  void replace(const std::string& text);
  void move(const std::string& from);

  std::string path_;
  Descriptor stream_;                   // of what is written in place
  std::optional<PartialFile> partial_;  // of a file
  bool may_replace_ = false;            // what stands at the path when the document is there
  bool begun_ = false;
  bool holds_results_ = false;
  bool holds_all_ = true;  // no append has failed
};

}  // namespace pairbench
