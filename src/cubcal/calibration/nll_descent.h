#pragma once

#include <cstdint>

#include "cubcal/calibration/calibration.h"
#include "cubcal/core/array_view.h"
#include "cubcal/uncertainty/mc_logits.h"

namespace cubcal {

/// NLL of the mean prediction at 1/T = beta, as a mean over samples, and its derivatives by beta.
///
/// With d = z - max z and p = softmax(beta d) of a pass, P = mean_s p_y has
///   P' = mean_s p_y (d_y - m),  P'' = mean_s p_y ((d_y - m)^2 - v),
/// where m and v are mean and variance of d under p; NLL = -ln P, NLL' = -P'/P,
/// NLL'' = (P'/P)^2 - P''/P. Where P is below the floor of NLL the sample adds a constant.
struct NllSlope {
  double value = 0;
  double first = 0;
  double second = 0;
};
NllSlope nll_slope(const McLogits& logits, ArrayView<const std::int64_t> labels, double beta);

/// The minimum of NLL next to the temperature `start`, by Newton's method in 1/T inside the box.
/// From a start good to a few percent two steps leave an error of about 1e-6 or less. The result is
/// `start` where no step lowers NLL.
double descend_nll(const McLogits& logits, ArrayView<const std::int64_t> labels, double start,
                   const TemperatureBox& box);

}  // namespace cubcal
