#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "report/read_document.h"
#include "report/render.h"

namespace pairbench {
namespace {

struct ShowArguments {
  std::string file;
  Format format = Format::table;
  bool verbose = false;
};

}  // namespace

Command add_show_command(CLI::App& app) {
  CLI::App* sub = app.add_subcommand("show", "Show a stored result (or FILE.partial) again");
  auto arguments = std::make_shared<ShowArguments>();
  sub->add_option("FILE", arguments->file, "A result document; -: standard input")->required();
  add_word(*sub, "--format", "table, csv, md, gbench or json (default table)",
           [=](const std::string& word) { arguments->format = parse_format(word); });
  sub->add_flag_callback(
      "--json", [=] { arguments->format = Format::json; }, "The same as --format json");
  sub->add_flag("-v,--verbose", arguments->verbose, "All warnings");
  return {
      sub, [=] {
        print_out(render(read_document(arguments->file), arguments->format, arguments->verbose));
        return 0;
      }};
}

}  // namespace pairbench
