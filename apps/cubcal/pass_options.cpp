#include "pass_options.h"

#include "adaptive_options.h"
#include "option_checks.h"

namespace cubcal::app {

void add_pass_options(CLI::App& command, ClassifierOptions& classifier, PassChoice& choice) {
  command
      .add_option("--mc", classifier.passes,
                  "Stochastic passes (default: those of the model's verdict, else 80)")
      ->check(within(std::size_t{1}, std::size_t{100000}));
  CLI::Option* adaptive = command.add_flag("--adaptive", choice.adaptive,
                                           "Stop each image once more passes would not change it");
  add_stopping_options(command, choice.stopping, choice.no_gamma);
  for (const char* name : {"--error", "--first", "--block", "--no-gamma"}) {
    command.get_option(name)->needs(adaptive);
  }
  command.add_option("--seed", classifier.seed, "Seed of the passes")->capture_default_str();
}

void apply_choice(const PassChoice& choice, ClassifierOptions& classifier) {
  if (!choice.adaptive) return;
  classifier.adaptive_stop = AdaptiveStop{choice.stopping.error, choice.stopping.first,
                                          choice.stopping.block, !choice.no_gamma};
}

}  // namespace cubcal::app
