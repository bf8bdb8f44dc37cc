// FILE.partial: what a run has measured so far, as JSON lines. The first line holds the document as
// it stood when measuring began; each further one adds a finished repeat of a case, or a case's
// end:
//   {"partial":1,"document":{…}}
//   {"case":3,"result":{…}}                      a repeat, as in cases[].repeats[]
//   {"case":4,"status":"failed","reason":"…"}
//   {"ended_at":"…","complete":true}             --json-stream's last line
// "case" is an index into the document's cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "report/document.h"
#include "report/posix_file.h"

namespace pairbench {

// Lines end in a newline.
std::string partial_header(const ResultDocument& document);
std::string partial_repeat(std::size_t case_index, const RepeatResult& repeat);
std::string partial_end(std::size_t case_index, CaseStatus status, const std::string& reason);

std::string partial_run(const RunInfo& run);

bool is_partial(std::string_view text);

// The document that the lines amount to: incomplete unless a line says otherwise, its cases
// summarized over the repeats they have. A torn last line is left out. `name` stands in front of
// every complaint. Throws Error(failed, read).
ResultDocument parse_partial(std::string_view text, const std::string& name);

// The file itself, locked while it is open. A line is in the file whole or not at all.
class PartialFile {
 public:
  // Takes over an empty file that a killed run left; one with content only by force. Throws
  // Error(failed, save) where the file is another running program's or cannot be written.
  PartialFile(std::string path, bool force);

  const std::string& path() const { return path_; }
  // Whether the path still leads to it: its folder may have been removed.
  bool is_there() const;
  void append(std::string_view line);  // throws std::system_error
  void remove() noexcept;

 private:
  std::string path_;
  Descriptor file_;
  std::int64_t size_ = 0;
};

}  // namespace pairbench
