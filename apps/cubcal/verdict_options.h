#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cubcal_nn/experiment/ood_verdict.h"

namespace cubcal::app {

/// What the command line says of a verdict that is to be fitted; classes are names yet.
struct VerdictChoice {
  VerdictFit fit;
  std::string probes = "refuse";
  double risk_target = 0;
  double risk_confidence = 0;
  std::vector<std::string> misses;
  std::vector<std::string> sensitivities;
  std::vector<std::string> wrong_costs;
  double referral_cost = -1;
  std::string accept_rule = "uncertainty";
  std::string set_score = "lac";
  std::optional<double> set_level;
  bool set_by_class = false;
};

/// `switched_on_by`: the option they need beside them; null: none.
void add_verdict_options(CLI::App& command, VerdictChoice& choice, CLI::Option* switched_on_by);

/// Throws ArgumentError that names the option for what needs no classes to be seen.
void check_choice(const VerdictChoice& choice);

/// The choice for a model with these classes.
VerdictFit verdict_fit(const VerdictChoice& choice, const std::vector<std::string>& class_names,
                       std::uint64_t seed);

}  // namespace cubcal::app
