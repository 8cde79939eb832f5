#include "cubcal_nn/train/epoch_log.h"

#include <nlohmann/json.hpp>

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

std::string epoch_json_line(const EpochReport& report) {
  nlohmann::ordered_json line;
  line["stage"] = report.stage;
  line["epoch"] = report.epoch + 1;
  line["step"] = report.steps;
  line["learning_rate"] = report.learning_rate;
  line["loss"] = report.terms.loss;
  line["cross_entropy"] = report.terms.cross_entropy;
  line["kl"] = report.terms.kl;
  line["kl_share"] = report.kl_share;
  for (const auto& [key, value] : objective_numbers(report)) line[key] = value;
  nlohmann::ordered_json& titles = line["terms"];
  titles = nlohmann::ordered_json::object();
  for (const TermName& term : report.term_names) titles[term.key] = term.title;
  line["train_accuracy"] = report.train_accuracy;
  line["sigma"] = {{"mean", report.sigma.mean},
                   {"smallest", report.sigma.smallest},
                   {"largest", report.sigma.largest},
                   {"noise_to_signal", report.sigma.noise_to_signal}};
  nlohmann::ordered_json& validation = line["validation"];
  for (const MetricInfo& info : metric_infos()) {
    const std::optional<double>& value = report.validation[info.metric];
    validation[info.key] = value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  }
  line["best"] = report.best;
  line["seconds"] = report.seconds;
  return line.dump() + "\n";
}

std::vector<std::pair<std::string, double>> epoch_scalars(const EpochReport& report) {
  std::vector<std::pair<std::string, double>> scalars = {
      {"train/learning_rate", report.learning_rate},
      {"train/loss", report.terms.loss},
      {"train/cross_entropy", report.terms.cross_entropy},
      {"train/kl", report.terms.kl},
      {"train/kl_share", report.kl_share},
      {"train/accuracy", report.train_accuracy},
      {"train/sigma_mean", report.sigma.mean},
      {"train/noise_to_signal", report.sigma.noise_to_signal}};
  for (const auto& [key, value] : objective_numbers(report)) {
    scalars.emplace_back("train/" + key, value);
  }
  for (const MetricInfo& info : metric_infos()) {
    const std::optional<double>& value = report.validation[info.metric];
    if (value) scalars.emplace_back(std::string("val/") + info.key, *value);
  }
  return scalars;
}

}  // namespace cubcal
