#include "bootstrap_options.h"

#include "option_checks.h"

namespace cubcal::app {

void add_resampling_options(CLI::App& command, BootstrapOptions& options, const char* seed_help) {
  command.add_option("--level", options.level, "Coverage of the intervals")->capture_default_str();
  command.add_option("--seed", options.seed, seed_help)
      ->capture_default_str()
      ->check(not_negative());
}

}  // namespace cubcal::app
