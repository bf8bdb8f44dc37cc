// The page of `pairbench report` without its data, as the build put it together.
#pragma once

#include <string>

namespace pairbench {

// HTML with "@data@" once, where the data belong. Throws Error(failed, save) that says how to get
// it where the program was built without.
std::string page_shell();

}  // namespace pairbench
