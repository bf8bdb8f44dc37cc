#include "cli/command_line.h"
#include "cli/interrupts.h"

namespace {

// Run by the loader before any library's initialization.
[[gnu::section(".preinit_array"), gnu::used]] constexpr auto* kFirst = pairbench::hold_interrupts;

}  // namespace

int main(int argc, char** argv) {
  return pairbench::run_command_line(argc, argv);
}
