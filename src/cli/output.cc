#include "cli/output.h"

#include <fmt/format.h>

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

int report_failure(const Failure& failure, bool json) {
  if (json) {
    fmt::print("{}", error_document(failure));
    std::fflush(stdout);
  }
  fmt::print(stderr, "{}", describe(failure));
  return static_cast<int>(failure.status);
}

}  // namespace pairbench
