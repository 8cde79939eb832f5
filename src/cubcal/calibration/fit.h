#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/calibration/calibration.h"
#include "cubcal/core/array_view.h"

namespace cubcal {

struct FitOptions {
  CalibrationMethod method = CalibrationMethod::kDtsGuarded;
  std::optional<Thresholds> thresholds;  ///< unset: derived from `eta` and the number of classes
  double eta = kDefaultEta;              ///< of the derived thresholds, nats
  double gamma = kDefaultGamma;          ///< of the boundary curve
  std::size_t bins = kDefaultBins;       ///< of BCCE
  std::optional<TemperatureBox> box;     ///< one temperature; unset: [0.25, 4], which ts-nll widens
                                         ///< where the optimum lies outside
  std::optional<TemperatureBox> box_high;  ///< unset: [0.5, 1], dts-guarded [0.05, 1]
  std::optional<TemperatureBox> box_low;   ///< unset: [1, 2], dts-guarded [1, 20]
  double nll_tolerance = 0.02;             ///< dts-guarded: NLL(T) <= (1 + tolerance) NLL(1)
  std::size_t guard_folds = 10;  ///< dts-guarded: folds over which that is held out of sample;
                                 ///< below 2 it is asked of the fitted set alone
  std::size_t grid = 201;        ///< first grid, temperatures per axis, evenly spaced in 1/T
  std::size_t refinements = 3;   ///< then so many grids of a tenth of the spacing around the best
};

struct FitResult {
  Calibration calibration;
  std::vector<std::string> warnings;  ///< one sentence each: optimum on a bound, empty region, ...
  /// dts-guarded: on what NLL was held within the tolerance, "10-fold cross-validation" or "fitted
  /// set"; empty for the others.
  std::string guard = {};
};

/// What the fitted set is predicted as: both are worked out on the way.
struct FittedPredictions {
  Predictive unscaled;
  Predictive calibrated;
};

/// Fits on validation logits (paper: "optimization of temperature parameters"; weights frozen,
/// every pass's logits divided before the softmax).
///
/// The search is an exact minimum over a grid (see TemperatureCurve), refined around the best
/// point. T = 1 is a grid point wherever the box holds it, so the fit is never worse than no
/// calibration on the set it was fitted on. Objectives closer than 1e-12 are equal and go to the
/// temperatures nearest 1. An empty region keeps T = 1.
///
/// Of sets of more than kSearchedLogits logits every so many-th sample is searched, and the result
/// then improved on all of them: ts-nll by Newton's method (descend_nll), the others on two grids
/// around it, in steps of about 1.5 and 0.5 percent; 1 is a point of the first.
///
/// BCCE has a degenerate optimum: T_high -> 0 and T_low -> infinity put every sample on the curve
/// while NLL and ECE explode. Hence the boxes, a warning when an optimum lies on one (but not for a
/// 1 that nothing beat, nor for BCCE in a default box, where it is the rule), and dts-guarded,
/// which bounds the rise of NLL instead, out of sample too (see cross_validated_allowance; folds
/// keep `groups` together). With two classes BCCE is 0 at any temperature; a warning says so.
///
/// `labels` may be empty where needs_labels(method) is false. `groups` has one entry per sample, or
/// none. `predictions`, where given, becomes the predictions of the fitted set.
FitResult fit_calibration(const McLogits& logits, ArrayView<const std::int64_t> labels,
                          const FitOptions& options, const std::vector<std::string>& groups = {},
                          FittedPredictions* predictions = nullptr);

/// Larger sets are searched on a part of their samples first.
inline constexpr std::size_t kSearchedLogits = 3'000'000;

/// The temperatures of a grid: `count` values evenly spaced in 1/T from high to low, and 1 if the
/// box holds it.
std::vector<double> temperature_grid(const TemperatureBox& box, std::size_t count);

}  // namespace cubcal
