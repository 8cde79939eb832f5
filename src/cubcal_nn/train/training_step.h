#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "cubcal_nn/bayes/kl.h"
#include "cubcal_nn/bayes/weight_passes.h"
#include "cubcal_nn/kernels/compute_scope.h"
#include "cubcal_nn/models/network.h"
#include "cubcal_nn/train/flat_sgd.h"
#include "cubcal_nn/train/fused_step.h"
#include "cubcal_nn/train/run_options.h"
#include "cubcal_nn/train/step_exchange.h"
#include "cubcal_nn/train/training_batches.h"

namespace cubcal {

/// One step of training: draws S sets of weights, runs the batch through each, computes the
/// objective on the logits [S, B, K], and takes one step along the gradient, to which KL adds once.
///
/// Batch norm sees every pass, so its running statistics move S times per step: each time by
/// 1 - (1 - m)^(1/S), which makes norm_momentum m over the step however many passes there are.
/// (PyTorch's 0.1 per pass would leave them with the last two steps at S = 5.)
///
/// On a GPU with fused kernels it is FusedStep that runs, unless ranks share the step
/// (StepExchange).
class TrainingStep {
 public:
  /// class_weights: [K] on the network's device, undefined for none. The network and the
  /// objective must outlive it; it is this objective that counts, whatever the options' method has.
  TrainingStep(Network& network, const StageOptions& options, const Objective& objective,
               const KlScale& kl_scale, at::Tensor class_weights, std::uint64_t seed,
               const ComputeOptions& compute = {}, const RankSplit& split = {});

  /// Leaves the weights as they are where the loss is not finite. What it returns is the
  /// objective's to observe.
  StepNumbers run(const Batch& batch, const StepOptions& step);

  FlatSgd& optimiser() { return optimiser_; }

 private:
  Network& network_;
  StageOptions options_;
  const Objective& objective_;
  KlScale kl_scale_;
  at::Tensor class_weights_;
  std::uint64_t seed_;
  ComputeSettings compute_;
  StepExchange exchange_;
  FlatSgd optimiser_;
  std::unique_ptr<FusedStep> fused_;
  std::unique_ptr<WeightPasses> passes_;  ///< where there is no fused step

  std::vector<at::Tensor> forward(const Batch& batch);
};

}  // namespace cubcal
