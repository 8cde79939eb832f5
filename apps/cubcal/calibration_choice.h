#pragma once

#include <optional>
#include <ostream>
#include <vector>

#include "cubcal/calibration/selection.h"
#include "cubcal/io/logits_file.h"

namespace cubcal::app {

/// Every method side by side, on held-out validation samples and on test samples.
struct CalibrationChoice {
  std::string title;  ///< describes the validation file
  CalibrationSelection selection;
  bool by_group = false;
  std::vector<CalibrationEffect> on_test;  ///< one for each candidate; empty without a test set
};

/// Both files have labels. Errors name the file.
CalibrationChoice choose_calibration(const LogitsFile& validation,
                                     const std::optional<LogitsFile>& test, const FitOptions& fit,
                                     const MetricOptions& metrics);

void print_choice(std::ostream& out, const CalibrationChoice& choice, const MetricOptions& metrics);

}  // namespace cubcal::app
