// Options whose values have a grammar of their own: an error names the option and the value.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace pairbench {

// Adds an option that takes one word. `parse` stores it; the Error it throws gets the option's name
// in front.
CLI::Option* add_word(CLI::App& app, const std::string& names, const std::string& description,
                      std::function<void(const std::string&)> parse);

// A path MTU of RDMA: 256, 512, 1024, 2048 or 4096. Throws a usage error for anything else.
int parse_mtu(const std::string& word);

// Among files to read, "-" is standard input: twice is a usage error.
void require_one_standard_input(const std::vector<std::string>& files);

}  // namespace pairbench
