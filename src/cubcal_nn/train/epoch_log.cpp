#include "cubcal_nn/train/epoch_log.h"

#include <nlohmann/json.hpp>

namespace cubcal {

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
  line["cub"] = report.terms.cub;
  line["beta"] = report.beta;
  line["avuc"] = report.terms.avuc;
  line["avuc_threshold"] = report.avuc_threshold;
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
      {"train/cub", report.terms.cub},
      {"train/beta", report.beta},
      {"train/avuc", report.terms.avuc},
      {"train/accuracy", report.train_accuracy},
      {"train/sigma_mean", report.sigma.mean},
      {"train/noise_to_signal", report.sigma.noise_to_signal}};
  for (const MetricInfo& info : metric_infos()) {
    const std::optional<double>& value = report.validation[info.metric];
    if (value) scalars.emplace_back(std::string("val/") + info.key, *value);
  }
  return scalars;
}

}  // namespace cubcal
