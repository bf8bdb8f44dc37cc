#include "report/document_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <optional>
#include <thread>

#include "base/error.h"
#include "report/document_json.h"
#include "report/read_document.h"
#include "report/samples.h"
#include "report/temporary_folder.h"

namespace pairbench {
namespace {

using Names = std::vector<std::string>;

Failure failure_of(const std::function<void()>& action, Phase phase = Phase::save) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.failure().status, ExitStatus::failed);
    EXPECT_EQ(error.failure().phase, phase);
    return error.failure();
  }
  ADD_FAILURE() << "nothing failed";
  return {};
}

Failure refusal(const std::string& path, bool force = false) {
  return failure_of([&] { DocumentFile(path, force); });
}

// While it lives, this process's files may not grow beyond so many bytes.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_;
};

void forget(CaseResult& result) {
  result.repeats.clear();
  if (result.status == CaseStatus::ok) result.status = CaseStatus::not_run;
}

const ResultDocument& document() {
  static const ResultDocument kDocument = samples::two_hosts();
  return kDocument;
}

TEST(DefaultFileName, NamesTimeHostsAndRun) {
  EXPECT_EQ(default_file_name(document()), "pairbench-20261129T140211Z-nodeA-nodeB-3f2a.json");
}

TEST(DefaultFileName, IsSafeWhateverThePeerCallsItself) {
  ResultDocument odd = document();
  odd.run.started_at = "2026-11-29T14:02:11.123456Z";
  odd.initiator_host.hostname = "../a b\n\xc3\xa9";
  odd.responder_host->hostname = std::string(300, 'x');
  EXPECT_EQ(default_file_name(odd), "pairbench-20261129T140211Z-.._a_b___" + std::string("-") +
                                        std::string(40, 'x') + "-3f2a.json");
  odd.responder_host.reset();
  odd.initiator_host.hostname.clear();
  EXPECT_EQ(default_file_name(odd), "pairbench-20261129T140211Z-unknown-unknown-3f2a.json");
}

TEST(DocumentFile, CommitsAndLeavesNothingElse) {
  const TemporaryFolder folder;
  {
    DocumentFile file(folder / "r.json", false);
    EXPECT_EQ(folder.names(), Names{"r.json.partial"});
    file.begin(document());
    file.append(0, document().cases[0].repeats[0]);
    file.append_end(1, CaseStatus::failed, "why");
    file.commit(document());
  }
  EXPECT_EQ(folder.names(), Names{"r.json"});
  EXPECT_EQ(read_file(folder / "r.json"), document_text(document()));
  EXPECT_EQ(document_text(read_document(folder / "r.json")), document_text(document()));
}

TEST(DocumentFile, ARunThatMeasuredNothingLeavesNothing) {
  const TemporaryFolder folder;
  {
    DocumentFile file(folder / "r.json", false);
    file.begin(document());
  }
  EXPECT_EQ(folder.names(), Names{});
}

TEST(DocumentFile, ResultsThatWereNotCommittedStay) {
  const TemporaryFolder folder;
  ResultDocument planned = document();
  for (auto& result : planned.cases) forget(result);
  {
    DocumentFile file(folder / "r.json", false);
    file.begin(planned);
    file.append(0, document().cases[0].repeats[0]);
  }
  EXPECT_EQ(folder.names(), Names{"r.json.partial"});
  EXPECT_EQ(read_document(folder / "r.json.partial").cases[0].repeats.size(), 1u);
  const Failure failure = failure_of([&] { read_document(folder / "r.json"); }, Phase::read);
  EXPECT_EQ(failure.hint, "its run did not end: try " + (folder / "r.json.partial"));
  EXPECT_NE(refusal(folder / "r.json").message.find("holds a run that did not end"),
            std::string::npos);
}

TEST(DocumentFile, AnExistingOneIsReplacedByForceAlone) {
  const TemporaryFolder folder;
  write_file(folder / "r.json", "old");
  EXPECT_EQ(refusal(folder / "r.json").message, folder / "r.json" + " exists");
  DocumentFile file(folder / "r.json", true);
  EXPECT_EQ(read_file(folder / "r.json"), "old");
  file.commit(document());
  EXPECT_EQ(read_file(folder / "r.json"), document_text(document()));
}

TEST(DocumentFile, ALinkStaysAndItsFileIsReplaced) {
  const TemporaryFolder folder;
  write_file(folder / "file", "old");
  std::filesystem::create_symlink("file", folder / "link");
  refusal(folder / "link");
  DocumentFile(folder / "link", true).commit(document());
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "file"), document_text(document()));
}

TEST(DocumentFile, PlacesThatCannotBeWrittenAreRefusedAtOnce) {
  const TemporaryFolder folder;
  write_file(folder / "file", "");
  std::filesystem::create_symlink("nowhere", folder / "dangling");
  EXPECT_EQ(refusal(folder / "").cause, "it is a folder");
  EXPECT_EQ(refusal(folder / "none/r.json").cause, "No such file or directory");
  EXPECT_EQ(refusal(folder / "file/r.json").cause, "Not a directory");
  EXPECT_EQ(refusal(folder / "dangling").cause, "it is a symbolic link that leads nowhere");
  EXPECT_EQ(refusal(folder / std::string(300, 'x')).cause, "File name too long");
  EXPECT_EQ(refusal("").message, "cannot write a file without a name");
  EXPECT_EQ(folder.names(), (Names{"dangling", "file"}));
}

TEST(DocumentFile, AFifoWithoutAReaderIsRefusedAtOnce) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(refusal(folder / "fifo").cause, "nobody reads from this FIFO");
}

TEST(DocumentFile, AFifoGetsTheDocumentOnce) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  const Descriptor reader = open_file(folder / "fifo", O_RDONLY | O_NONBLOCK);
  ::fcntl(reader.get(), F_SETFL, 0);
  std::string read;
  std::thread reading;
  {
    DocumentFile file(folder / "fifo", false);
    EXPECT_EQ(file.partial_path(), nullptr);
    file.begin(document());
    file.append(0, document().cases[0].repeats[0]);
    reading = std::thread([&] { read = read_all(reader.get(), SIZE_MAX); });
    file.commit(document());
  }
  reading.join();
  EXPECT_EQ(read, document_text(document()));
  EXPECT_EQ(folder.names(), Names{"fifo"});
}

TEST(DocumentFile, AReaderThatLeavesIsAnError) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  std::optional<Descriptor> reader = open_file(folder / "fifo", O_RDONLY | O_NONBLOCK);
  DocumentFile file(folder / "fifo", false);
  reader.reset();
  EXPECT_EQ(failure_of([&] { file.commit(document()); }).cause, "Broken pipe");
}

TEST(DocumentFile, AFullDeviceIsAnError) {
  DocumentFile file("/dev/full", false);
  EXPECT_EQ(failure_of([&] { file.commit(document()); }).cause, "No space left on device");
}

TEST(DocumentFile, ASizeLimitLeavesTheOldFileWholeAndTheResultsInThePartial) {
  const TemporaryFolder folder;
  write_file(folder / "r.json", "old");
  {
    DocumentFile file(folder / "r.json", true);
    file.begin(document());
    file.append(0, document().cases[0].repeats[0]);
    const FileSizeLimit limit(200);
    const Failure failure = failure_of([&] { file.commit(document()); });
    EXPECT_EQ(failure.cause, "File too large");
    EXPECT_EQ(failure.hint, "what was measured is in " + (folder / "r.json.partial"));
  }
  EXPECT_EQ(read_file(folder / "r.json"), "old");
  EXPECT_EQ(folder.names(), (Names{"r.json", "r.json.partial"}));
}

TEST(DocumentFile, WhatCameThereMeanwhileIsNotOverwritten) {
  const TemporaryFolder folder;
  DocumentFile file(folder / "r.json", false);
  file.begin(document());
  file.append(0, document().cases[0].repeats[0]);
  std::ofstream(folder / "r.json") << "mine";
  const Failure failure = failure_of([&] { file.commit(document()); });
  EXPECT_NE(failure.hint.find("r.json.partial"), std::string::npos) << failure.hint;
  EXPECT_EQ(read_document_text(folder / "r.json"), "mine");
}

TEST(DocumentFile, AFailedCommitCanBeTriedAgain) {
  const TemporaryFolder folder;
  DocumentFile file(folder / "r.json", false);
  file.begin(document());
  file.append(0, document().cases[0].repeats[0]);
  {
    const FileSizeLimit limit(200);
    failure_of([&] { file.commit(document()); });
  }
  file.commit(document());
  EXPECT_EQ(folder.names(), Names{"r.json"});
}

TEST(DocumentFile, ALineThatDidNotFitIsNotHalfThere) {
  const TemporaryFolder folder;
  ResultDocument planned = document();
  for (auto& result : planned.cases) forget(result);
  DocumentFile file(folder / "r.json", false);
  file.begin(planned);
  file.append(0, document().cases[0].repeats[0]);
  const auto size = std::filesystem::file_size(folder / "r.json.partial");
  {
    const FileSizeLimit limit(size + 50);
    failure_of([&] { file.append(1, document().cases[1].repeats[0]); });
  }
  EXPECT_EQ(std::filesystem::file_size(folder / "r.json.partial"), size);
  file.append(2, document().cases[2].repeats[0]);
  const ResultDocument read = read_document(folder / "r.json.partial");
  EXPECT_EQ(read.cases[0].repeats.size(), 1u);
  EXPECT_EQ(read.cases[1].repeats.size(), 0u);
  EXPECT_EQ(read.cases[2].repeats.size(), 1u);
}

TEST(DocumentFile, AFolderThatVanishedIsAnError) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "there");
  DocumentFile file(folder / "there/r.json", false);
  file.begin(document());
  file.append(0, document().cases[0].repeats[0]);
  EXPECT_TRUE(file.keeps_all());
  std::filesystem::remove_all(folder / "there");
  EXPECT_FALSE(file.keeps_all());
  const Failure failure = failure_of([&] { file.commit(document()); });
  EXPECT_EQ(failure.cause, "No such file or directory");
  EXPECT_EQ(failure.hint, folder / "there/r.json.partial" + " is gone as well");
}

TEST(DocumentFile, StandardOutputIsWrittenInPlace) {
  const TemporaryFolder folder;
  const Descriptor saved = duplicate(STDOUT_FILENO);
  {
    const Descriptor target = open_file(folder / "out", O_WRONLY | O_CREAT);
    write_all(target.get(), "before\n");
    ::dup2(target.get(), STDOUT_FILENO);
    DocumentFile("/dev/stdout", false).commit(document());
    ::dup2(saved.get(), STDOUT_FILENO);
  }
  EXPECT_EQ(read_file(folder / "out"), "before\n" + document_text(document()));
}

TEST(DocumentFile, SignalsOfAFailedWriteAreGoneAndNoOthers) {
  DocumentFile file("/dev/null", false);
  file.commit(document());
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGXFSZ), 0);
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGPIPE), 0);
}

}  // namespace
}  // namespace pairbench
