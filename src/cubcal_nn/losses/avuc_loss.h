#pragma once

#include <ATen/core/Tensor.h>

#include "cubcal_nn/losses/mean_prediction.h"

namespace cubcal {

/// AvUC (Krishnan and Tickoo 2020), the baseline: with the states of AvU at U <= threshold,
/// n_AC = sum c (1 - tanh U), n_AU = sum c tanh U, n_IC = sum (1-c)(1 - tanh U),
/// n_IU = sum (1-c) tanh U, the loss is -log((n_AC + n_IU) / (n_AC + n_AU + n_IC + n_IU)), both the
/// quotient and the logarithm guarded by 1e-10. Multiplied by kAvucWeight in the paper's setting.
at::Tensor avuc_loss(const MeanPrediction& prediction, const at::Tensor& labels, double threshold);
/// The same with the threshold as a scalar on the device.
at::Tensor avuc_loss(const MeanPrediction& prediction, const at::Tensor& labels,
                     const at::Tensor& threshold);

inline constexpr double kAvucWeight = 3.0;

/// What the threshold learns from one batch.
struct UncertaintySums {
  double correct_sum = 0, incorrect_sum = 0;  ///< of U over correct and incorrect predictions
  std::int64_t correct_count = 0, incorrect_count = 0;
};
/// As a float64 tensor [3] on the device: sum over correct, sum over all, number correct.
at::Tensor uncertainty_sums(const MeanPrediction& prediction, const at::Tensor& labels);
/// The three numbers of it, for a batch of `count`.
UncertaintySums to_uncertainty_sums(const double* sums, std::int64_t count);

/// The uncertainty threshold of AvUC: 1.0 at first; after each of the first `epochs` epochs the
/// midpoint of the mean uncertainty of correct and of incorrect training predictions (unchanged if
/// one side is empty); then frozen. An aggregate, so that a checkpoint can hold it.
struct AvucThreshold {
  double value = 1.0;
  int epochs = 5;           ///< epochs after which it is frozen
  int finished_epochs = 0;  ///< epochs seen
  double correct_sum = 0, incorrect_sum = 0;
  std::int64_t correct_count = 0, incorrect_count = 0;

  void observe(const UncertaintySums& sums);
  void observe(const MeanPrediction& prediction, const at::Tensor& labels);
  void end_epoch();
};

}  // namespace cubcal
