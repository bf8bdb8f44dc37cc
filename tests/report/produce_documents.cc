// Writes one document of each kind into the folder named on the command line, for the tests that
// hold documents against results/schema.json and draw them.
#include <cstdio>
#include <filesystem>

#include "base/error.h"
#include "report/document_file.h"
#include "report/document_json.h"
#include "report/read_document.h"
#include "report/samples.h"
#include "report/temporary_folder.h"

namespace pairbench {
namespace {

void commit(const std::filesystem::path& path, const ResultDocument& document) {
  DocumentFile(path.string(), true).commit(document);
}

// A run that was killed: what its partial file amounts to.
ResultDocument killed() {
  const TemporaryFolder folder;
  const ResultDocument whole = samples::two_hosts();
  ResultDocument planned = whole;
  for (auto& result : planned.cases) {
    result.repeats.clear();
    summarize(result);
    if (result.status == CaseStatus::ok) result.status = CaseStatus::not_run;
  }
  {
    DocumentFile file(folder / "r.json", false);
    file.begin(planned);
    file.append(0, whole.cases[0].repeats[0]);
  }
  return read_document(folder / "r.json.partial");
}

void produce(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  commit(folder / "two_hosts.json", samples::two_hosts());
  commit(folder / "two_transports.json", samples::two_transports());
  commit(folder / "sparse.json", samples::sparse());
  commit(folder / "interrupted.json", samples::interrupted());
  commit(folder / "killed.json", killed());
  write_file((folder / "error.json").string(),
             error_document({ExitStatus::usage, Phase::usage, "--sizes: '8x' is no size", "", "",
                             "an integer, then K, M or G"}));
}

}  // namespace
}  // namespace pairbench

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    pairbench::produce(argv[1]);
  } catch (const pairbench::Error& error) {
    std::fputs(describe(error.failure()).c_str(), stderr);
    return 1;
  }
}
