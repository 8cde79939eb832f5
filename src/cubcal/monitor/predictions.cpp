#include "cubcal/monitor/predictions.h"

#include <algorithm>

namespace cubcal {

bool Predictions::all_decided() const {
  return !verdicts.empty() && std::all_of(verdicts.begin(), verdicts.end(),
                                          [](const auto& each) { return each.has_value(); });
}

bool Predictions::is_referred(std::size_t i, double refer_above) const {
  if (!verdicts.empty() && verdicts[i]) return *verdicts[i] == Decision::kRefer;
  return uncertainty[i] > refer_above;
}

Predictions predictions_of(const std::string& name, const Predictive& predictive) {
  Predictions predictions;
  predictions.name = name;
  predictions.predicted.assign(predictive.predicted.begin(), predictive.predicted.end());
  predictions.confidence = predictive.confidence;
  predictions.uncertainty = predictive.entropy;
  return predictions;
}

Predictions predictions_of(const LogitsFile& file, const Predictive& predictive,
                           std::vector<std::uint8_t> outside) {
  Predictions predictions = predictions_of(file.path, predictive);
  predictions.outside = std::move(outside);
  if (file.has_labels) predictions.labels = file.labels;
  predictions.groups = file.groups;
  return predictions;
}

}  // namespace cubcal
