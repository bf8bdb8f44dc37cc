// Standard output: data alone, and an error when it cannot be written.
#pragma once

#include <string>

#include "base/error.h"

namespace pairbench {

// Writes and flushes. Throws Error(failed, save) naming the reason.
void print_out(const std::string& text);

// To standard error; that it cannot be written is no reason to fail.
void print_err(const std::string& text);

// Shows a failure on standard error and, with `json`, as the one document on standard output.
// Returns the exit status that goes with it.
int report_failure(const Failure& failure, bool json);

}  // namespace pairbench
