#include "adaptive_options.h"

#include "option_checks.h"

namespace cubcal::app {

void add_stopping_options(CLI::App& command, AdaptiveOptions& adaptive, bool& no_gamma) {
  command
      .add_option("--error", adaptive.error,
                  "Share of decisions that may differ from those of all passes; 0: none")
      ->capture_default_str()
      ->check(within(0.0, 0.5));
  command.add_option("--first", adaptive.first, "Passes before the first look")
      ->capture_default_str()
      ->check(within(std::size_t{2}, std::size_t{100000}));
  command.add_option("--block", adaptive.block, "Passes from one look to the next")
      ->capture_default_str()
      ->check(within(std::size_t{1}, std::size_t{100000}));
  command.add_flag("--no-gamma", no_gamma,
                   "Settle class and accept/refer only, not the side of gamma");
}

}  // namespace cubcal::app
