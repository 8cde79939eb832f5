#include "cubcal/evaluation/predict_file.h"

#include "cubcal/core/error.h"

namespace cubcal {

std::optional<Calibration> calibration_at(const std::string& path) {
  if (path.empty()) return std::nullopt;
  return load_calibration(path);
}

Predictive predict_file(const LogitsFile& file, const std::optional<Calibration>& calibration) {
  try {
    return predict_calibrated(McLogits(file.logits), calibration);
  } catch (const DataError& error) {
    throw DataError(file.path + ": " + error.what());
  }
}

}  // namespace cubcal
