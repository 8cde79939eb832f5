#pragma once

#include <optional>
#include <string>

#include "cubcal/calibration/calibration.h"
#include "cubcal/io/logits_file.h"
#include "cubcal/predictive.h"

namespace cubcal {

/// The calibration in this file; nothing for an empty name.
std::optional<Calibration> calibration_at(const std::string& path);

/// Prediction of a file without a calibration. Probabilities count as they are.
Predictive plain_prediction(const LogitsFile& file);

/// The same through a calibration, beside the plain one. Temperatures scale logits, which of
/// probabilities are their logarithms, and whose prediction decides on the region of a sample; a
/// calibration that scales nothing leaves the plain prediction as it is.
Predictive calibrated_prediction(const LogitsFile& file, const Calibration& calibration,
                                 const Predictive& plain);

/// One or the other; errors name the file.
Predictive predict_file(const LogitsFile& file, const std::optional<Calibration>& calibration);

}  // namespace cubcal
