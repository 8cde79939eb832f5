#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cubcal/calibration/calibration.h"
#include "cubcal/core/array_view.h"
#include "cubcal/uncertainty/predictive.h"

namespace cubcal::report {

/// BCCE, and with labels NLL, of validation samples over a grid of (T_high, T_low) that reaches far
/// beyond any sensible box, so that one sees where the objective leads when nothing bounds it.
struct ObjectiveMap {
  std::vector<double> t_high;  ///< rising, evenly spaced in ln T, to 1
  std::vector<double> t_low;   ///< likewise from 1
  std::vector<double> bcce;    ///< [t_low, t_high]
  std::vector<double> nll;     ///< the same; empty without labels
  double nll_at_one = 0;

  std::size_t index(std::size_t low, std::size_t high) const { return low * t_high.size() + high; }
};

/// Regions, gamma and bins are those of the calibration.
ObjectiveMap objective_map(const McLogits& logits, ArrayView<const std::int64_t> labels,
                           const Predictive& unscaled, const Calibration& calibration);

}  // namespace cubcal::report
