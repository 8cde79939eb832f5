#include "cubcal/evaluation/predict_file.h"

#include "cubcal/core/error.h"
#include "cubcal/uncertainty/probabilities.h"

namespace cubcal {

std::optional<Calibration> calibration_at(const std::string& path) {
  if (path.empty()) return std::nullopt;
  return load_calibration(path);
}

Predictive plain_prediction(const LogitsFile& file) {
  if (file.probabilities.size() == 0) return predict(McLogits(file.logits));
  return predict_probabilities(McLogits(file.probabilities), {}, file.path);
}

Predictive calibrated_prediction(const LogitsFile& file, const Calibration& calibration,
                                 const Predictive& plain) {
  check_classes(calibration, plain.classes);
  if (leaves_all(calibration)) return plain;
  const McLogits logits(file.logits);
  const bool is_of_logits = file.probabilities.size() == 0;
  return apply_calibration(calibration, logits, is_of_logits ? plain : predict(logits));
}

Predictive predict_file(const LogitsFile& file, const std::optional<Calibration>& calibration) {
  try {
    Predictive plain = plain_prediction(file);
    return calibration ? calibrated_prediction(file, *calibration, plain) : plain;
  } catch (const DataError& error) {
    throw DataError(file.path + ": " + error.what());
  }
}

}  // namespace cubcal
