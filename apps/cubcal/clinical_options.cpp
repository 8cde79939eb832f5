#include "clinical_options.h"

#include "class_choice.h"
#include "cubcal/core/error.h"
#include "cubcal/core/parse_number.h"

namespace cubcal::app {

namespace {

double share_of(const std::string& option, const std::string& text, const std::string& whole) {
  const std::optional<double> share = parse_number(text);
  if (share && *share >= 0 && *share <= 1) return *share;
  throw ArgumentError(option + " takes a share in [0, 1] or CLASS=SHARE, not '" + whole + "'");
}

}  // namespace

void add_clinical_options(CLI::App& command, ClinicalChoice& choice) {
  CLI::Option* clinical = command.add_flag(
      "--clinical", choice.wanted,
      "Also AUROC, AUPR, kappa, Matthews, sensitivity, specificity, predictive values, calibration "
      "by class and calibration line");
  clinical->group(choice.group);
  const auto add = [&](const char* name, auto& values, const char* help) {
    command.add_option(choice.prefix + name, values, help)
        ->group(choice.group)
        ->needs(clinical)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  add("threshold", choice.thresholds,
      "With --clinical: each class called where its probability is at least this");
  add("at-sensitivity", choice.sensitivities,
      "With --clinical: each class called at the highest threshold of this sensitivity");
  add("at-specificity", choice.specificities,
      "With --clinical: each class called at the lowest threshold of this specificity");
  add("prevalence", choice.prevalences,
      "With --clinical: predictive values where each class in turn has this share, P, or where "
      "these classes have theirs, CLASS=P (may be repeated); the others share the rest as they do "
      "in the file");
}

ClinicalOptions clinical_options(const ClinicalChoice& choice,
                                 const std::vector<std::string>& class_names) {
  ClinicalOptions options;
  for (const double level : choice.thresholds) {
    options.rules.push_back({PointRule::kThreshold, level});
  }
  for (const double level : choice.sensitivities) {
    options.rules.push_back({PointRule::kSensitivity, level});
  }
  for (const double level : choice.specificities) {
    options.rules.push_back({PointRule::kSpecificity, level});
  }
  const std::string option = choice.prefix + "prevalence";
  for (const std::string& text : choice.prevalences) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos) {
      options.prevalence.assign(class_names.size(), share_of(option, text, text));
    } else {
      options.population.resize(class_names.size());
      options.population[class_named(option, text.substr(0, equals), class_names)] =
          share_of(option, text.substr(equals + 1), text);
    }
  }
  if (!options.prevalence.empty() && !options.population.empty()) {
    throw ArgumentError(option + " takes one share for each class in turn, or CLASS=SHARE of one " +
                        "population, not both");
  }
  return options;
}

}  // namespace cubcal::app
