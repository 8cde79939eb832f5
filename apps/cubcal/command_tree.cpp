#include "command_tree.h"

#include <sstream>

namespace cubcal::app {

std::vector<std::string> option_values(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}', begin);
  std::vector<std::string> values;
  if (begin == std::string::npos || end == std::string::npos) return values;
  std::istringstream list(type.substr(begin + 1, end - begin - 1));
  for (std::string value; std::getline(list, value, ',');) values.push_back(value);
  return values;
}

std::vector<std::string> option_flags(const CLI::Option& option) {
  std::vector<std::string> flags;
  for (const std::string& name : option.get_snames()) flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flags.push_back("--" + name);
  return flags;
}

std::vector<NamedCommand> leaf_commands(const CLI::App& app) {
  std::vector<NamedCommand> commands;
  for (const CLI::App* command : app.get_subcommands({})) {
    const std::vector<NamedCommand> parts = leaf_commands(*command);
    if (parts.empty()) commands.push_back({command->get_name(), command});
    for (const NamedCommand& part : parts) {
      commands.push_back({command->get_name() + " " + part.words, part.app});
    }
  }
  return commands;
}

}  // namespace cubcal::app
