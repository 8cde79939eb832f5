#pragma once

#include <ATen/core/Tensor.h>

#include "cubcal/boundary/thresholds.h"
#include "cubcal_nn/losses/mean_prediction.h"

namespace cubcal {

enum class BatchReduction { kSum, kMean };

struct CubOptions {
  double gamma = kDefaultGamma;                     ///< confidence threshold of the loss regions
  BatchReduction reduction = BatchReduction::kSum;  ///< over the batch; the paper sums
  double epsilon = 1e-3;                            ///< the barrier is linear beyond 1 - epsilon
};

/// Checks 1/K <= gamma <= 1 and 0 < epsilon < 1.
void check_cub_options(const CubOptions& options, std::int64_t classes);

/// CUB-Loss (paper, Eq. cub_final): sum_i -log(1 - d_i), where d_i in [0, 1] is the deviation of
/// the mean prediction from the boundary curve, divided by the largest value it can take in its
/// region (boundary/regions.h, deviation_scale).
///
/// With r = 1 - c and R = -sum_{k != predicted} p_k ln(p_k / r), the entropy of the rest,
/// U - U_min(c) = R and U_max(c) - U = r ln(K-1) - R: this form has no cancellation near c = 1 and
/// is exactly 0 for K = 2, where the two entropy terms vanish.
///
/// Departures from the paper: the constants of normalisation, and the barrier
/// -log(1 - d) continues beyond 1 - epsilon as a straight line of the same value and slope, so that
/// a wrong prediction with c -> 1 keeps its gradient. The gradient flows through c and U; the
/// region of a sample is constant.
at::Tensor cub_loss(const MeanPrediction& prediction, const at::Tensor& labels,
                    const CubOptions& options = {});

/// d_i of each sample [B].
at::Tensor cub_deviation(const MeanPrediction& prediction, const at::Tensor& labels, double gamma);

}  // namespace cubcal
