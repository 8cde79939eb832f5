#include "outside_options.h"

#include "cubcal/core/check.h"

namespace cubcal::app {

void add_outside_options(CLI::App& command, OutsideChoice& choice) {
  command.add_option(
      "--ood-p", choice.p_column,
      "Column with p-values of an OOD detector: out of scope at or below --ood-alpha");
  command.add_option("--ood-alpha", choice.alpha, "Bound of those p-values")->capture_default_str();
  command.add_option("--ood-score", choice.score_column,
                     "Instead: column with its scores: out of scope above --ood-above");
  command.add_option("--ood-above", choice.above, "Bound of those scores");
}

std::optional<OutsideRule> outside_rule(const OutsideChoice& choice) {
  check_in_open("--ood-alpha", choice.alpha, 0, 1);
  if (!choice.p_column.empty() && !choice.score_column.empty()) {
    throw ArgumentError("--ood-p and --ood-score cannot both be given");
  }
  if (choice.score_column.empty() == choice.above.has_value()) {
    throw ArgumentError("--ood-score and --ood-above go together: a column and its bound");
  }
  if (choice.above) return OutsideRule{choice.score_column, false, *choice.above};
  if (choice.p_column.empty()) return std::nullopt;
  return OutsideRule{choice.p_column, true, choice.alpha};
}

}  // namespace cubcal::app
