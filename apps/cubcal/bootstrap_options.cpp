#include "bootstrap_options.h"

namespace cubcal::app {

CLI::Validator enough_replicates(bool none_allowed, std::size_t most) {
  return CLI::Validator(
      [=](std::string& text) {
        std::size_t number = 0;
        if (!CLI::detail::lexical_cast(text, number) || text.find('-') != std::string::npos ||
            number > most) {
          return "Value " + text + " not in range " + std::to_string(kLeastReplicates) + " to " +
                 std::to_string(most);
        }
        if (number >= kLeastReplicates || (none_allowed && number == 0)) return std::string();
        return "Value " + text + " is too few replicates to make an interval of: take " +
               std::to_string(kLeastReplicates) + " or more" +
               (none_allowed ? ", or 0 for no intervals" : "");
      },
      "");
}

void add_resampling_options(CLI::App& command, BootstrapOptions& options, const char* seed_help) {
  command.add_option("--level", options.level, "Coverage of the intervals")->capture_default_str();
  command.add_option("--seed", options.seed, seed_help)->capture_default_str();
}

}  // namespace cubcal::app
