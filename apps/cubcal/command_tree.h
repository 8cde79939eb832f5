#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

/// What completion and manual pages are made of.
namespace cubcal::app {

/// The words an option takes, where there is a list of them: of "TEXT:{cpu,cuda}" cpu and cuda.
std::vector<std::string> option_values(const CLI::Option& option);

/// "-o", "--output": every name of an option; nothing for a positional.
std::vector<std::string> option_flags(const CLI::Option& option);

/// A command and the words it is called with: "data split".
struct NamedCommand {
  std::string words;
  const CLI::App* app = nullptr;
};

/// Every command that does something, in the order of help.
std::vector<NamedCommand> leaf_commands(const CLI::App& app);

}  // namespace cubcal::app
