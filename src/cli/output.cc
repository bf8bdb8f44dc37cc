#include "cli/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "report/document_json.h"

namespace pairbench {

void print_out(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return;
  throw Error(ExitStatus::failed, Phase::save, "cannot write to standard output",
              std::strerror(errno));
}

void print_err(const std::string& text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

int report_failure(const Failure& failure, bool json) {
  if (json) {
    const std::string document = error_document(failure);
    static_cast<void>(std::fwrite(document.data(), 1, document.size(), stdout));
    std::fflush(stdout);
  }
  print_err(describe(failure));
  return static_cast<int>(failure.status);
}

}  // namespace pairbench
