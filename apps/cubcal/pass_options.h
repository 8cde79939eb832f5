#pragma once

#include <CLI/CLI.hpp>

#include "cubcal/adaptive/sequential_decision.h"
#include "cubcal/classifier.h"

namespace cubcal::app {

/// What the command line says of when passes end.
struct PassChoice {
  bool adaptive = false;  ///< stop each image once it is settled
  AdaptiveOptions stopping;
  bool no_gamma = false;
};

/// --mc, --adaptive with what goes with it, and --seed, which the commands that answer images
/// share.
void add_pass_options(CLI::App& command, ClassifierOptions& classifier, PassChoice& choice);

/// Tells the classifier what was chosen.
void apply_choice(const PassChoice& choice, ClassifierOptions& classifier);

}  // namespace cubcal::app
