#include "cubcal/monitor/predictions.h"

namespace cubcal {

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
