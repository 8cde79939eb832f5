#pragma once

#include <cstddef>
#include <cstdint>

#include "cubcal/calibration/calibration.h"
#include "cubcal/metrics/metric_values.h"

namespace cubcal {

/// Predictions that a calibration changed. Scaling keeps the ranking within a pass, but not that of
/// the average over passes.
struct PredictionFlips {
  std::size_t to_right = 0;        ///< wrong before, right after
  std::size_t to_wrong = 0;        ///< right before, wrong after
  std::size_t wrong_to_wrong = 0;  ///< another wrong class

  std::size_t total() const { return to_right + to_wrong + wrong_to_wrong; }
};

/// What a calibration does to one labelled set.
struct CalibrationAssessment {
  MetricValues before;
  MetricValues after;
  PredictionFlips flips;
  double share_sharpened;
};

/// Of the predictions without and with it.
CalibrationAssessment assess_calibration(const Calibration& calibration, const Predictive& unscaled,
                                         const Predictive& scaled,
                                         ArrayView<const std::int64_t> labels,
                                         const MetricOptions& options);

}  // namespace cubcal
