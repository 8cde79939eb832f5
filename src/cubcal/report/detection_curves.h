#pragma once

#include <vector>

#include "cubcal/core/array_view.h"

namespace cubcal::report {

/// The corners of both curves, from the highest threshold to the lowest; equal scores make one
/// step. Positive = OOD, a higher score = more OOD.
struct DetectionCurves {
  std::vector<double> false_alarms;  ///< share of ID images at or above the threshold, from 0
  std::vector<double> caught;        ///< share of OOD images, from 0; also called recall
  std::vector<double> recall;        ///< of the precision curve, without the point at 0
  std::vector<double> precision;
};

/// Both sides must have a score.
DetectionCurves detection_curves(ArrayView<const double> id_scores,
                                 ArrayView<const double> ood_scores);

}  // namespace cubcal::report
