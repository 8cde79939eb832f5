#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cubcal/calibration/temperature_curve.h"

/// Exact minima over grids of temperatures. Objectives within 1e-12 of the smallest count as equal,
/// and the temperatures nearest 1 (in |ln T|) win.
namespace cubcal {

/// objective[i] belongs to temperatures[i].
double best_temperature(const std::vector<double>& temperatures,
                        const std::vector<double>& objective);

/// BCCE at each temperature of a curve over all `samples` samples.
std::vector<double> bcce_along(const TemperatureCurve& curve, std::size_t samples);

struct TemperaturePair {
  double t_high;
  double t_low;
  double bcce;
};

/// The pair with the smallest BCCE over `samples` samples in all, among those whose NLL sum is at
/// most `largest_nll` (where given). Nothing when no pair keeps that bound.
std::optional<TemperaturePair> best_pair(const TemperatureCurve& high, const TemperatureCurve& low,
                                         std::size_t samples, std::optional<double> largest_nll);

}  // namespace cubcal
