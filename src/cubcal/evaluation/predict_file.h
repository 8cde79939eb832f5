#pragma once

#include <optional>

#include "cubcal/calibration/calibration.h"
#include "cubcal/io/logits_file.h"

namespace cubcal {

/// Prediction of a file, through a calibration where there is one; errors name the file.
Predictive predict_file(const LogitsFile& file, const std::optional<Calibration>& calibration);

}  // namespace cubcal
