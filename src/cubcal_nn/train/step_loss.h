#pragma once

#include <ATen/core/Tensor.h>

#include "cubcal_nn/losses/avuc_loss.h"
#include "cubcal_nn/losses/mean_prediction.h"
#include "cubcal_nn/train/run_options.h"

namespace cubcal {

/// The terms of one step's loss.
struct LossTerms {
  double loss = 0;           ///< cross_entropy + kl + beta cub + avuc_weight avuc
  double cross_entropy = 0;  ///< data term of the ELBO
  double kl = 0;             ///< weighted
  double cub = 0;            ///< unweighted
  double avuc = 0;           ///< unweighted
  double correct = 0;        ///< images whose mean prediction over the passes is right
};

/// The loss of a stage's method on logits [S, B, K], all but KL, as tensors of the device.
struct StepLoss {
  at::Tensor loss;
  at::Tensor cross_entropy, cub, avuc;
  MeanPrediction prediction;
};

/// What changes from step to step, as scalars of the device.
struct StepScalars {
  at::Tensor beta;            ///< weight of CUB-Loss; undefined: 0
  at::Tensor avuc_threshold;  ///< of AvUC
};

StepLoss step_loss(const at::Tensor& logits, const at::Tensor& labels,
                   const at::Tensor& class_weights, const StageOptions& options,
                   const StepScalars& scalars);

/// Everything the host wants to know of a step in one tensor (float64), so that the device is read
/// once, and the reading of it.
at::Tensor pack_terms(const StepLoss& loss, const at::Tensor& kl, const at::Tensor& labels);
struct StepNumbers {
  LossTerms terms;
  UncertaintySums uncertainty;
};
StepNumbers unpack_terms(const at::Tensor& packed, std::int64_t batch);

}  // namespace cubcal
