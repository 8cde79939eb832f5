#include "verdict_options.h"

#include "class_choice.h"
#include "cubcal/core/error.h"
#include "cubcal/core/parse_number.h"
#include "cubcal_nn/ood/registry.h"
#include "option_checks.h"

namespace cubcal::app {

namespace {

constexpr const char* kConformalRule = "conformal";

struct ClassNumber {
  std::size_t label;
  double number;
};

/// Of "CLASS=NUMBER"; `example` is such a text.
ClassNumber class_number(const std::string& option, const std::string& text,
                         const std::vector<std::string>& class_names, const char* meta,
                         const char* example) {
  const std::optional<NamedNumber> parts = named_number(text);
  if (!parts) {
    throw ArgumentError(option + " must be CLASS=" + meta + ", such as " + example + ", not '" +
                        text + "'");
  }
  return {class_named(option, parts->name, class_names), parts->number};
}

/// A number for all classes comes before those of single ones, wherever it stands.
std::optional<VerdictCosts> costs_of(const VerdictChoice& choice,
                                     const std::vector<std::string>& class_names) {
  if (choice.wrong_costs.empty()) return std::nullopt;
  VerdictCosts costs;
  if (choice.referral_cost >= 0) costs.referral = choice.referral_cost;
  std::vector<std::optional<double>> own(class_names.size());
  std::optional<double> of_all;
  for (const std::string& text : choice.wrong_costs) {
    const std::optional<double> number = parse_number(text);
    if (number) {
      of_all = number;
    } else {
      const ClassNumber cost =
          class_number("--wrong-cost", text, class_names, "COST", "melanoma=50");
      own[cost.label] = cost.number;
    }
  }
  for (std::size_t label = 0; label < own.size(); ++label) {
    if (!own[label] && !of_all) {
      throw ArgumentError("--wrong-cost says nothing of the class '" + class_names[label] +
                          "': give each class a cost, or a number for all others");
    }
    costs.wrong.push_back(own[label] ? *own[label] : *of_all);
  }
  return costs;
}

std::optional<ConformalOptions> set_options(const VerdictChoice& choice) {
  if (choice.accept_rule != kConformalRule) {
    if (!choice.set_level && !choice.set_by_class && choice.set_score == "lac") return {};
    throw ArgumentError("--set-level, --set-score and --set-by-class go with --accept-rule " +
                        std::string(kConformalRule));
  }
  if (choice.risk_target > 0 || !choice.misses.empty() || !choice.sensitivities.empty() ||
      !choice.wrong_costs.empty()) {
    throw ArgumentError(
        "--risk-target, --miss-target, --sensitivity and --wrong-cost move a threshold on U, and "
        "--accept-rule conformal has none");
  }
  ConformalOptions sets;
  sets.score.score = score_from_name(choice.set_score);
  sets.alpha = alpha_of_level(choice.set_level.value_or(0.9));
  sets.by_class = choice.set_by_class;
  return sets;
}

}  // namespace

void add_verdict_options(CLI::App& command, VerdictChoice& choice, CLI::Option* switched_on_by) {
  const std::string with = switched_on_by ? "With " + switched_on_by->get_name() + ": " : "";
  const auto needing = [&](CLI::Option* option) {
    return switched_on_by ? option->needs(switched_on_by) : option;
  };
  needing(command.add_option("--verdict-detector", choice.fit.detector,
                             with + "the feature detector to use"))
      ->capture_default_str();
  needing(command.add_option(
              "--probes", choice.probes,
              with + "a verdict that accepts noise, inverted, shuffled, recoloured or "
                     "blank images is not written (refuse), or is with a warning (warn)"))
      ->capture_default_str()
      ->check(CLI::IsMember({"refuse", "warn"}));
  needing(command.add_option("--alpha", choice.fit.options.alpha,
                             with + "share of ID images that may be called out-of-scope"))
      ->capture_default_str();
  needing(command.add_option("--risk-target", choice.risk_target,
                             with + "refer so that the error rate among accepted validation images "
                                    "is at most this (default: refer where U exceeds eta)"))
      ->check(within(1e-9, 1.0));
  needing(command.add_option("--risk-confidence", choice.risk_confidence,
                             "With --risk-target or --sensitivity: meet it with the bound of this "
                             "confidence"))
      ->check(within(1e-9, 1.0));
  needing(command.add_option(
              "--miss-target", choice.misses,
              with + "CLASS=SHARE: refer so that of the validation images of this class at "
                     "most this share is accepted with a wrong answer; may be repeated"))
      ->take_all();
  needing(command.add_option(
              "--sensitivity", choice.sensitivities,
              with +
                  "CLASS=SHARE: refer so that of the accepted validation images of this class at "
                  "least this share is answered right; may be repeated"))
      ->take_all();
  needing(command.add_option(
              "--wrong-cost", choice.wrong_costs,
              with + "COST or CLASS=COST of accepting a wrong answer to an image (of this class), "
                     "in units of --referral-cost: refer as costs least on validation, which "
                     "promises nothing; may be repeated"))
      ->take_all();
  needing(command.add_option("--referral-cost", choice.referral_cost,
                             "With --wrong-cost: cost of referring an image (default 1)"))
      ->check(within(0.0, 1e12));
  needing(command.add_option("--accept-rule", choice.accept_rule,
                             with + "accept what U leaves certain (uncertainty), or what has a "
                                    "prediction set that holds the answer alone (conformal)"))
      ->capture_default_str()
      ->check(CLI::IsMember({"uncertainty", kConformalRule}));
  needing(command.add_option("--set-level", choice.set_level,
                             "With --accept-rule conformal: share of sets that hold the true class "
                             "(default: 0.9)"))
      ->check(within(1e-9, 1 - 1e-9));
  needing(command.add_option("--set-score", choice.set_score,
                             "With --accept-rule conformal: lac, aps or raps"))
      ->capture_default_str()
      ->check(CLI::IsMember({"lac", "aps", "raps"}));
  needing(
      command.add_flag("--set-by-class", choice.set_by_class,
                       "With --accept-rule conformal: keep the level for each class by itself"));
}

void check_choice(const VerdictChoice& choice) {
  if (choice.referral_cost >= 0 && choice.wrong_costs.empty()) {
    throw ArgumentError("--referral-cost needs --wrong-cost beside it");
  }
  detector_entry(choice.fit.detector);
  VerdictOptions options = choice.fit.options;
  if (choice.risk_target > 0) options.risk_target = choice.risk_target;
  if (choice.risk_confidence > 0 && choice.sensitivities.empty()) {
    options.risk_confidence = choice.risk_confidence;
  }
  if (!choice.wrong_costs.empty()) options.costs = VerdictCosts{};
  options.sets = set_options(choice);
  check_verdict_options(options);
}

VerdictFit verdict_fit(const VerdictChoice& choice, const std::vector<std::string>& class_names,
                       std::uint64_t seed) {
  VerdictFit fit = choice.fit;
  if (choice.risk_target > 0) fit.options.risk_target = choice.risk_target;
  if (choice.risk_confidence > 0) fit.options.risk_confidence = choice.risk_confidence;
  fit.probes = probe_rule_from_name(choice.probes);
  fit.seed = seed;
  for (const std::string& text : choice.misses) {
    const ClassNumber each =
        class_number("--miss-target", text, class_names, "SHARE", "melanoma=0.05");
    fit.options.miss_targets.push_back({each.label, each.number});
  }
  for (const std::string& text : choice.sensitivities) {
    const ClassNumber each =
        class_number("--sensitivity", text, class_names, "SHARE", "melanoma=0.95");
    fit.options.sensitivity_floors.push_back({each.label, each.number});
  }
  fit.options.costs = costs_of(choice, class_names);
  fit.options.sets = set_options(choice);
  check_verdict_options(fit.options);
  return fit;
}

}  // namespace cubcal::app
