#pragma once

#include <optional>
#include <vector>

#include "cubcal/calibration/selection.h"
#include "cubcal/io/logits_file.h"

namespace cubcal {

/// Every method side by side, on held-out validation samples and on test samples.
struct CalibrationChoice {
  CalibrationSelection selection;
  bool by_group = false;
  std::vector<CalibrationEffect> on_test;  ///< one for each candidate; empty without a test set

  /// The one to use; null where none improves anything without making something else worse.
  const FitResult* best() const;
};

/// Both files have labels. The calibrations carry the hash of the weights that the validation
/// logits are of. Errors name the file.
CalibrationChoice choose_calibration(const LogitsFile& validation,
                                     const std::optional<LogitsFile>& test, const FitOptions& fit,
                                     const MetricOptions& metrics);

}  // namespace cubcal
