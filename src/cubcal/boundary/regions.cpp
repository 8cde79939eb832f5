#include "cubcal/boundary/regions.h"

#include <algorithm>
#include <cmath>

#include "cubcal/boundary/curve.h"
#include "cubcal/core/check.h"

namespace cubcal {

namespace {

/// max over c in [1/K, gamma] of U_max(c) - u_min_attainable(c). Between the kinks c = 1/m the
/// function is smooth with one maximum, so each piece is searched by golden section.
double largest_spread(double gamma, std::size_t classes) {
  const auto spread = [&](double c) { return u_max(c, classes) - u_min_attainable(c, classes); };
  const double ratio = 0.5 * (std::sqrt(5.0) - 1.0);
  double best = 0.0;
  for (std::size_t m = 1; m < classes; ++m) {
    double low = 1.0 / static_cast<double>(m + 1);
    double high = std::min(1.0 / static_cast<double>(m), gamma);
    if (low > gamma) continue;
    best = std::max({best, spread(low), spread(high)});
    for (int step = 0; step < 80; ++step) {
      const double left = high - ratio * (high - low);
      const double right = low + ratio * (high - low);
      (spread(left) < spread(right) ? low : high) = spread(left) < spread(right) ? left : right;
    }
    best = std::max(best, spread(0.5 * (low + high)));
  }
  return best;
}

}  // namespace

LossRegion loss_region(bool correct, double confidence, double gamma) {
  if (confidence > gamma) {
    return correct ? LossRegion::kAccurateCertain : LossRegion::kInaccurateCertain;
  }
  return correct ? LossRegion::kAccurateUncertain : LossRegion::kInaccurateUncertain;
}

ScalingRegion scaling_region(double confidence, double uncertainty, const Thresholds& thresholds) {
  const bool sharpen = confidence > thresholds.gamma_high ||
                       (confidence > thresholds.gamma_low && uncertainty < thresholds.eta);
  return sharpen ? ScalingRegion::kSharpen : ScalingRegion::kSoften;
}

AvuState avu_state(bool correct, double uncertainty, double threshold) {
  if (uncertainty <= threshold) {
    return correct ? AvuState::kAccurateCertain : AvuState::kInaccurateCertain;
  }
  return correct ? AvuState::kAccurateUncertain : AvuState::kInaccurateUncertain;
}

DeviationScale deviation_scale(double gamma, std::size_t classes) {
  check_gamma(gamma, classes);
  const double spread_at_one = std::log(static_cast<double>(classes - 1));
  return {(1.0 - gamma) * spread_at_one, gamma - 1.0 / static_cast<double>(classes), 1.0 - gamma,
          classes == 2 ? 0.0 : largest_spread(gamma, classes)};
}

double normalised_deviation(bool correct, double confidence, double uncertainty, double gamma,
                            std::size_t classes, const DeviationScale& scale) {
  const auto divided = [](double deviation, double by) {
    return by > 0 ? std::abs(deviation) / by : 0.0;
  };
  switch (loss_region(correct, confidence, gamma)) {
    case LossRegion::kAccurateCertain:
      return divided(u_min(confidence, classes) - uncertainty, scale.accurate_certain);
    case LossRegion::kAccurateUncertain:
      return divided(confidence - gamma, scale.accurate_uncertain);
    case LossRegion::kInaccurateCertain:
      return divided(confidence - gamma, scale.inaccurate_certain);
    case LossRegion::kInaccurateUncertain:
      return divided(u_max(confidence, classes) - uncertainty, scale.inaccurate_uncertain);
  }
  return 0.0;
}

}  // namespace cubcal
