#pragma once

#include <cstddef>

#include "cubcal/boundary/thresholds.h"

/// Three partitions that look alike and are not the same: loss regions look at correctness and
/// confidence, scaling regions at confidence and uncertainty and never at labels, AvU states at
/// correctness and uncertainty.
namespace cubcal {

enum class LossRegion {
  kAccurateCertain,     ///< AC: right, c > gamma
  kAccurateUncertain,   ///< AU: right, c <= gamma
  kInaccurateCertain,   ///< IC: wrong, c > gamma
  kInaccurateUncertain  ///< IU: wrong, c <= gamma
};

LossRegion loss_region(bool correct, double confidence, double gamma);

enum class ScalingRegion {
  kSharpen,  ///< T_high: c > gamma_high, or gamma_low < c <= gamma_high and U < eta
  kSoften    ///< T_low: everything else
};

/// From the unscaled mean prediction, once, before any temperature (paper, Eq. dual_temperature).
ScalingRegion scaling_region(double confidence, double uncertainty, const Thresholds& thresholds);

enum class AvuState {
  kAccurateCertain,     ///< AC: right, U <= u_th
  kAccurateUncertain,   ///< AU: right, U > u_th
  kInaccurateCertain,   ///< IC: wrong, U <= u_th
  kInaccurateUncertain  ///< IU: wrong, U > u_th
};

AvuState avu_state(bool correct, double uncertainty, double threshold);

/// The largest value each region's deviation from the boundary curve can take, by which CUB-Loss
/// normalises (paper: "linear normalisation", here with constants).
///
/// AC: (1-gamma) ln(K-1); AU: gamma - 1/K; IC: 1 - gamma; IU: the maximum over c in [1/K, gamma] of
/// U_max(c) - u_min_attainable(c), which is ln(K-1)/2 at c = 1/2 while gamma >= 1/2 and K <= 17.
/// For K = 2 the two entropy divisors are 0 and the deviations are identically 0.
struct DeviationScale {
  double accurate_certain;
  double accurate_uncertain;
  double inaccurate_certain;
  double inaccurate_uncertain;
};

DeviationScale deviation_scale(double gamma, std::size_t classes);

/// The deviation of a prediction from the boundary curve (paper, Eq. deviation_mixed), divided by
/// its region's scale; 0 where that scale is 0. AC: |U_min(c) - U|; AU and IC: |c - gamma|;
/// IU: |U_max(c) - U|.
double normalised_deviation(bool correct, double confidence, double uncertainty, double gamma,
                            std::size_t classes, const DeviationScale& scale);

}  // namespace cubcal
