#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cubcal/calibration/temperature_curve.h"

namespace cubcal {

/// What the samples of one fold add to the objectives, over the same temperatures in every fold.
struct FoldCurves {
  TemperatureCurve high;
  TemperatureCurve low;
  double nll_at_one = 0;  ///< sum of -ln p_y at T = 1
  std::size_t samples = 0;
};

/// The curve of all folds together.
FoldCurves sum_of(const std::vector<FoldCurves>& folds);

/// By how much (as a share) NLL may rise on the set that temperatures are fitted on, so that it
/// rises by at most `tolerance` on samples they were not fitted on.
///
/// Temperatures that were chosen among many for a low BCCE fit the chance of their own set: a bound
/// that is kept there with nothing to spare is broken elsewhere. So for each of a few allowances,
/// from `tolerance` down to a demanded fall by twice as much, every fold is held out once, the pair
/// is fitted on the others under that allowance, and the rise of NLL on the fold is noted. The
/// largest allowance is taken whose rise over all folds stays within the tolerance by the upper end
/// of its one-sided 95% interval (Student's t over folds). Nothing where none does: then T = 1 is
/// all that can be promised.
std::optional<double> cross_validated_allowance(const std::vector<FoldCurves>& folds,
                                                double tolerance);

}  // namespace cubcal
