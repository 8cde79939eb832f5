#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cubcal/results/result_record.h"

namespace cubcal::test {

/// A record as 'cubcal experiment' writes it, with few metrics.
inline nlohmann::json example_record_json(const std::string& method, std::uint64_t seed,
                                          double accuracy) {
  using Json = nlohmann::json;
  const Json metrics = {{"accuracy", accuracy}, {"avu", 0.5}, {"delta_u", nullptr}};
  const Json intervals = {
      {"accuracy", {accuracy - 0.1, accuracy + 0.1}}, {"avu", {0.4, 0.6}}, {"delta_u", nullptr}};
  const Json detection = {{"auroc", 0.7}, {"auroc_interval", {0.6, 0.8}},
                          {"aupr", 0.6},  {"aupr_interval", {0.5, 0.7}},
                          {"fpr95", 0.9}, {"fpr95_interval", {0.8, 1.0}}};
  Json row = {{"detector", "uncertainty"}, {"title", "Uncertainty"}};
  row.update(detection);
  row["categories"] = {{"nih", detection}};
  return {{"format", "cubcal-result"},
          {"version", 1},
          {"experiment", "lungs"},
          {"paper", "chest"},
          {"regime", "full"},
          {"method", method},
          {"seed", seed},
          {"training", {{"device", "CPU"}}},
          {"test", {{"metrics", metrics}, {"intervals", intervals}}},
          {"post_hoc", Json::array({{{"method", "dts"},
                                     {"t_high", 0.5},
                                     {"t_low", 2.0},
                                     {"metrics", metrics},
                                     {"intervals", intervals}}})},
          {"ood", Json::array({row})}};
}

inline results::ResultRecord example_record(const std::string& regime, const std::string& method,
                                            std::uint64_t seed, double accuracy) {
  results::ResultRecord record;
  record.experiment = "eyes";
  record.paper = "retina";
  record.regime = regime;
  record.method = method;
  record.seed = seed;
  record.training.device = "CPU";
  record.test.metrics["accuracy"] = {accuracy, {{accuracy - 0.02, accuracy + 0.04}}};
  record.test.metrics["avu"] = {0.7, {}};
  record.test.metrics["u_correct"] = {0.2, {}};
  record.post_hoc.push_back({"dts", 0.5, 2.0, record.test.metrics, {}});
  return record;
}

}  // namespace cubcal::test
