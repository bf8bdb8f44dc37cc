#include "base/error.h"
#include "report/page_shell.h"

namespace pairbench {

std::string page_shell() {
  throw Error(ExitStatus::failed, Phase::save,
              "report: this pairbench was built without npm, which brings the page's chart library",
              "",
              "apt install npm, then configure and build again; or draw pictures with plots/all");
}

}  // namespace pairbench
