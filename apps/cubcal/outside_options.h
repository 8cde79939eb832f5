#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cubcal/evaluation/outside_flags.h"

namespace cubcal::app {

/// What the command line says of columns with the scores or p-values of an OOD detector.
struct OutsideChoice {
  std::string p_column;
  double alpha = 0.05;
  std::string score_column;
  std::optional<double> above;
};

/// Adds --ood-p, --ood-alpha, --ood-score and --ood-above.
void add_outside_options(CLI::App& command, OutsideChoice& choice);

/// Nothing where no column is named. Throws ArgumentError where the options do not go together.
std::optional<OutsideRule> outside_rule(const OutsideChoice& choice);

}  // namespace cubcal::app
