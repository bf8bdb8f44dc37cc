#include "cli/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/units.h"

namespace pairbench {

CLI::Option* add_word(CLI::App& app, const std::string& names, const std::string& description,
                      std::function<void(const std::string&)> parse) {
  // The long name is the one that errors use.
  const std::string name = names.substr(names.find("--"));
  const auto store = [name, parse = std::move(parse)](const std::string& word) {
    try {
      parse(word);
    } catch (const Error& error) {
      Failure failure = error.failure();
      if (failure.message.rfind(name, 0) != 0) failure.message = name + ": " + failure.message;
      throw Error(failure);
    }
  };
  return app.add_option_function<std::string>(names, store, description);
}

int parse_mtu(const std::string& word) {
  const auto mtu = static_cast<int>(parse_count(word, 0, 4096));
  if (mtu < 256 || (mtu & (mtu - 1)) != 0)
    throw_usage(fmt::format("'{}' is no MTU", word), "256, 512, 1024, 2048 or 4096");
  return mtu;
}

void require_one_standard_input(const std::vector<std::string>& files) {
  if (std::ranges::count(files, "-") > 1)
    throw_usage("-: standard input can be read once", "name a file");
}

}  // namespace pairbench
