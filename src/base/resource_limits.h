// The limits that the system puts on this process, for sentences about what ran into one.
#pragma once

#include <cstdint>
#include <string>
#include <system_error>

#include "base/error.h"

namespace pairbench {

// What to try after a call failed with `error`, an errno: the limits that lead to it and their
// present values, "raise a limit: open files (ulimit -n) 8". Empty where no limit does. Any thread.
std::string limit_hint(int error);

// Throws Error(failed, connect) with both numbers where this process may not have so many open
// files. `who` needs them: "a server".
void require_open_files(const char* who, std::uint64_t needed);

// Whether this process may lock memory without limit: ulimit -l says so, or CAP_IPC_LOCK does.
bool locks_any_memory();

// For what the standard library throws where the system refuses a thread, a file or memory.
Failure failure_of(const std::system_error& error);
Failure out_of_memory();

}  // namespace pairbench
