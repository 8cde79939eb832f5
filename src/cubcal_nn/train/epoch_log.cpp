#include "cubcal_nn/train/epoch_log.h"

#include <cmath>

namespace cubcal {

namespace {

/// The numbers of the stage's objective, and 0 for those of all others: every line of a run, and of
/// runs that are compared, has the same keys.
NamedNumbers objective_numbers(const EpochReport& report) {
  NamedNumbers numbers = report.terms.own;
  add_numbers(numbers, report.values);
  for (const TrainingMethod& method : training_methods()) {
    for (const TermName& term : method.objective->terms()) add_numbers(numbers, {{term.key, 0}});
    for (const auto& [key, value] : method.objective->values()) add_numbers(numbers, {{key, 0}});
  }
  return numbers;
}

}  // namespace

EpochRecord epoch_record(const EpochReport& report) {
  EpochRecord epoch;
  epoch.stage = report.stage;
  epoch.epoch = report.epoch + 1;
  epoch.steps = report.steps;
  epoch.learning_rate = report.learning_rate;
  epoch.loss = report.terms.loss;
  epoch.cross_entropy = report.terms.cross_entropy;
  epoch.kl = report.terms.kl;
  epoch.kl_share = report.kl_share;
  epoch.objective = objective_numbers(report);
  for (const TermName& term : report.term_names) epoch.terms.emplace_back(term.key, term.title);
  epoch.train_accuracy = report.train_accuracy;
  epoch.sigma_mean = report.sigma.mean;
  epoch.sigma_smallest = report.sigma.smallest;
  epoch.sigma_largest = report.sigma.largest;
  epoch.noise_to_signal = report.sigma.noise_to_signal;
  for (const MetricInfo& info : metric_infos()) {
    const std::optional<double>& value = report.validation[info.metric];
    epoch.validation.emplace_back(info.key, value.value_or(EpochRecord::kUnknown));
  }
  epoch.best = report.best;
  epoch.seconds = report.seconds;
  return epoch;
}

std::vector<std::pair<std::string, double>> epoch_scalars(const EpochRecord& epoch) {
  std::vector<std::pair<std::string, double>> scalars = {
      {"train/learning_rate", epoch.learning_rate},
      {"train/loss", epoch.loss},
      {"train/cross_entropy", epoch.cross_entropy},
      {"train/kl", epoch.kl},
      {"train/kl_share", epoch.kl_share},
      {"train/accuracy", epoch.train_accuracy},
      {"train/sigma_mean", epoch.sigma_mean},
      {"train/noise_to_signal", epoch.noise_to_signal}};
  for (const auto& [key, value] : epoch.objective) scalars.emplace_back("train/" + key, value);
  for (const auto& [key, value] : epoch.validation) {
    if (!std::isnan(value)) scalars.emplace_back("val/" + key, value);
  }
  return scalars;
}

}  // namespace cubcal
