#include "all_options.h"

#include <array>
#include <filesystem>
#include <map>

#include "cubcal/core/error.h"
#include "cubcal/core/words.h"
#include "option_checks.h"

namespace cubcal::app {

void check_all_numbers(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    if (starts_with(type, "FLOAT")) option->check(finite_number());
    if (starts_with(type, "UINT")) option->check(not_negative());
  }
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    check_all_numbers(*command);
  }
}

void check_all_outputs(const CLI::App& app) {
  constexpr std::array<const char*, 8> kOutputs = {"--output", "--json",  "--csv",  "--markdown",
                                                   "--latex",  "--jsonl", "--html", "--svg"};
  std::map<std::filesystem::path, std::string> taken;
  for (const char* name : kOutputs) {
    const CLI::Option* option = app.get_option_no_throw(name);
    const bool names_a_file =
        option != nullptr && option->count() > 0 && option->get_items_expected_max() > 0;
    if (!names_a_file) continue;
    for (const std::string& path : option->results()) {
      if (path == "-") continue;
      const auto [other, is_new] =
          taken.emplace(std::filesystem::path(path).lexically_normal(), name);
      if (is_new) continue;
      throw ArgumentError(std::string(name) + " and " + other->second + " both write '" + path +
                          "': name two files");
    }
  }
  for (const CLI::App* command : app.get_subcommands()) check_all_outputs(*command);
}

}  // namespace cubcal::app
