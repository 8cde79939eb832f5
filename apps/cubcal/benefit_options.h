#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/benefit/benefit_curve.h"
#include "cubcal/io/logits_file.h"

namespace cubcal::app {

/// What the command line says of a policy and its prices.
struct BenefitChoice {
  std::string prefix = "--";            ///< in front of every option, "--benefit-" of a report
  std::string group = "Options";        ///< of the help
  std::vector<std::string> positive;    ///< classes that are the disease
  std::string thresholds;               ///< "0.05:0.5", "0.05:0.5:0.01" or "0.1,0.2"
  std::optional<double> referral_cost;  ///< in diseases found
  std::optional<double> scope_cost;     ///< the same, of a case out of scope
  std::optional<double> cost_miss;      ///< these in any one unit
  std::optional<double> cost_false_alarm;
  std::optional<double> cost_referral;
  std::optional<double> cost_scope;
  std::optional<double> refer_above;
  std::string scope_column;
  std::string verdict_column;
  Expert expert;
  std::optional<double> prevalence;

  std::string option(const std::string& name) const { return prefix + name; }
  /// Whether this is all that the command is about.
  bool is_command() const { return prefix == "--"; }
  bool has_costs() const { return cost_miss.has_value(); }
  bool has_policy() const {
    return refer_above || !scope_column.empty() || !verdict_column.empty();
  }
};

/// The options, called as `choice.prefix` says. Where net benefit is not all that the command is
/// about, they need its `positive`, which may be left out.
void add_benefit_options(CLI::App& command, BenefitChoice& choice);

/// Throws ArgumentError for options that do not go together or are no numbers in their domain.
BenefitOptions benefit_options(const BenefitChoice& choice);

/// One mark for each class. Throws ArgumentError for a class there is not.
std::vector<std::uint8_t> positive_classes(const BenefitChoice& choice,
                                           const std::vector<std::string>& class_names);

/// "refer where U > 0.3 nats, else accept".
std::string policy_words(const BenefitChoice& choice);

/// What the policy does with each sample; empty where none is described. Throws DataError for a
/// value of a column that is none of those it takes.
std::vector<Decision> policy_decisions(const BenefitChoice& choice, const LogitsFile& file,
                                       const Predictive& predictive);

}  // namespace cubcal::app
