// Keeps and shows what a run measures: every finished repeat goes to the disk, progress to the
// terminal.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/measuring_options.h"
#include "harness/run.h"
#include "report/document_file.h"

namespace pairbench {

class Recorder final : public RunObserver {
 public:
  // With --out: proves that it can be written, or throws Error(failed, save).
  explicit Recorder(const MeasuringArguments& arguments);

  void agreed(const ResultDocument& document) override;
  void repeat_measured(const ResultDocument& document, std::size_t case_index) override;
  void case_failed(const ResultDocument& document, std::size_t case_index) override;

  // Writes the document, if there is anything in it and a place for it. Returns the place. Throws
  // Error(failed, save), whose hint says where the document or FILE.partial is: where that has not
  // all, the document goes to the folder of temporary files.
  std::optional<std::string> save(const ResultDocument& document);
  // Whether the document went where the table would go too.
  bool took_stdout() const { return file_ && file_->path() == "/dev/stdout"; }
  bool can_be_shown() const { return file_ && !file_->is_stream(); }

  // From another thread, while the measuring thread hangs for good: what the disk has becomes the
  // document, by its names alone, since that thread may not have the open files. nullopt, and a
  // warning, where it cannot.
  std::optional<std::string> salvage(const Failure& why);

 private:
  void open_default(const ResultDocument& document);
  void keep(const std::function<void()>& append);
  void stream(const std::string& line) const;
  void show_progress(const ResultDocument& document, std::size_t case_index);
  void clear_progress();

  const MeasuringArguments& arguments_;
  const bool live_;  // a terminal that may be drawn on
  std::optional<DocumentFile> file_;
  bool warned_ = false;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point drawn_at_;
  std::chrono::steady_clock::time_point began_at_;
};

}  // namespace pairbench
