#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cubcal/core/array_view.h"
#include "cubcal/uncertainty/mc_logits.h"

namespace cubcal {

/// How a fixed set of samples contributes to the objectives at each of several temperatures.
///
/// BCCE = sum_m |sum_{i in B_m} (U_i - U_ideal(c_i))| / N is additive over sets of samples inside
/// the absolute value, and a sample's prediction does not depend on the temperature of the others.
/// So a pair (T_high, T_low) costs the addition of two vectors of M sums: any grid of pairs is
/// searched exactly from two curves.
struct TemperatureCurve {
  std::size_t bins = 0;
  std::vector<double> temperatures;
  std::vector<double> deviation;  ///< [temperatures, bins]: sum of U - U_ideal(c)
  std::vector<double> nll;        ///< [temperatures]: sum of -ln p_y; empty without labels

  const double* deviation_at(std::size_t index) const { return &deviation[index * bins]; }
};

struct CurveOptions {
  std::size_t bins;
  double gamma;
};

/// Works on `samples` of the logits, on several threads; the sums do not depend on their number.
/// Temperatures whose inverses are equally spaced cost a multiplication per logit instead of an
/// exp.
TemperatureCurve temperature_curve(const McLogits& logits, ArrayView<const std::size_t> samples,
                                   ArrayView<const std::int64_t> labels,
                                   const std::vector<double>& temperatures,
                                   const CurveOptions& options);

}  // namespace cubcal
