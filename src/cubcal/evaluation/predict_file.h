#pragma once

#include <optional>
#include <string>

#include "cubcal/calibration/calibration.h"
#include "cubcal/io/logits_file.h"
#include "cubcal/predictive.h"

namespace cubcal {

/// The calibration in this file; nothing for an empty name.
std::optional<Calibration> calibration_at(const std::string& path);

/// Prediction of a file, through a calibration where there is one; errors name the file.
Predictive predict_file(const LogitsFile& file, const std::optional<Calibration>& calibration);

}  // namespace cubcal
