// argv to exit status: what main() and the tests call.
#pragma once

namespace pairbench {

// Runs one command. Never throws; every error is on standard error and, with --json, on standard
// output too.
int run_command_line(int argc, char** argv);

}  // namespace pairbench
