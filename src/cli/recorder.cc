#include "cli/recorder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/units.h"
#include "cli/output.h"
#include "harness/ids.h"
#include "report/figures.h"
#include "report/partial.h"
#include "report/read_document.h"

namespace pairbench {
namespace {

bool wants_progress(const MeasuringArguments& arguments) {
  if (arguments.progress == Progress::automatic)
    return !arguments.quiet && isatty(STDERR_FILENO) != 0;
  return arguments.progress == Progress::always;
}

void warn(const Error& error) {
  print_err(fmt::format("warning: {}: {}\n", error.failure().message, error.failure().cause));
}

bool has_results(const ResultDocument& document) {
  return std::any_of(document.cases.begin(), document.cases.end(),
                     [](const CaseResult& result) { return !result.repeats.empty(); });
}

// The place that was asked for cannot be written, and nothing there has all that was measured: its
// folder was removed perhaps, or its disk is full.
Failure rescue(Failure failure, const ResultDocument& document) {
  try {
    const auto place = std::filesystem::temp_directory_path() / default_file_name(document);
    DocumentFile(place.string(), false).commit(document);
    failure.hint = "what was measured is in " + place.string();
  } catch (const std::exception&) {
    // The first failure tells more.
  }
  return failure;
}

}  // namespace

Recorder::Recorder(const MeasuringArguments& arguments)
    : arguments_(arguments), live_(wants_progress(arguments)) {
  if (arguments.out) file_.emplace(*arguments.out, arguments.force);
}

void Recorder::agreed(const ResultDocument& document) {
  if (!file_ && arguments_.save) open_default(document);
  keep([&] { file_->begin(document); });
  stream(partial_header(document));
  began_at_ = std::chrono::steady_clock::now();
}

// The default place is our choice, so that it cannot be written is no reason not to measure.
void Recorder::open_default(const ResultDocument& document) {
  try {
    file_.emplace(default_file_name(document), arguments_.force);
  } catch (const Error& error) {
    warn(error);
  }
}

// A full disk must not end a run whose document may still be printed, or written elsewhere.
void Recorder::keep(const std::function<void()>& append) {
  if (!file_) return;
  try {
    append();
  } catch (const Error& error) {
    if (!std::exchange(warned_, true)) warn(error);
  }
}

void Recorder::stream(const std::string& line) const {
  if (arguments_.json_stream) print_out(line);
}

void Recorder::repeat_measured(const ResultDocument& document, std::size_t case_index) {
  const RepeatResult& repeat = document.cases[case_index].repeats.back();
  keep([&] { file_->append(case_index, repeat); });
  if (arguments_.json_stream) stream(partial_repeat(case_index, repeat));
  show_progress(document, case_index);
}

void Recorder::case_failed(const ResultDocument& document, std::size_t case_index) {
  const CaseResult& result = document.cases[case_index];
  keep([&] { file_->append_end(case_index, result.status, result.reason); });
  stream(partial_end(case_index, result.status, result.reason));
}

void Recorder::show_progress(const ResultDocument& document, std::size_t case_index) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (!live_ || now - drawn_at_ < 100ms) return;
  drawn_at_ = now;
  drawn_ = true;
  std::size_t done = 0;
  std::size_t all = 0;
  for (const CaseResult& result : document.cases) {
    done += result.repeats.size();
    all += result.plan.runs() ? static_cast<std::size_t>(document.repeats) : 0;
  }
  const CaseResult& result = document.cases[case_index];
  const auto left = (now - began_at_) * (all - done) / done;
  print_err(fmt::format("\r\x1b[K{} of {} done, about {} left: repeat {}, {} {} {}", done, all,
                        format_duration(std::chrono::ceil<std::chrono::seconds>(left)),
                        result.repeats.size(), label_of(document, result),
                        to_string(result.plan.test), format_size(result.plan.size_bytes)));
  std::fflush(stderr);
}

void Recorder::clear_progress() {
  if (std::exchange(drawn_, false)) print_err(fmt::format("\r\x1b[K"));
}

std::optional<std::string> Recorder::save(const ResultDocument& document) {
  clear_progress();
  if (!file_ || !has_results(document)) return std::nullopt;
  try {
    file_->commit(document);
  } catch (const Error& error) {
    if (file_->keeps_all()) throw;
    throw Error(rescue(error.failure(), document));
  }
  return file_->path();
}

std::optional<std::string> Recorder::salvage(const Failure& why) {
  if (!file_ || !file_->partial_path()) return std::nullopt;
  try {
    ResultDocument document = read_document(*file_->partial_path());
    if (!has_results(document)) return std::nullopt;
    document.run.failure = why;
    document.run.ended_at = now_rfc3339();
    file_->commit(document);
    return file_->path();
  } catch (const Error& error) {
    warn(error);
    return std::nullopt;
  }
}

}  // namespace pairbench
