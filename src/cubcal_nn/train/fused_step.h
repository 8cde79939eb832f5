#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "cubcal_nn/bayes/fused_weights.h"
#include "cubcal_nn/kernels/compute_scope.h"
#include "cubcal_nn/kernels/device_graph.h"
#include "cubcal_nn/models/network.h"
#include "cubcal_nn/train/flat_sgd.h"
#include "cubcal_nn/train/run_options.h"
#include "cubcal_nn/train/step_loss.h"
#include "cubcal_nn/train/training_batches.h"

namespace cubcal {

/// What changes from step to step.
struct StepOptions {
  std::uint64_t stream = 1;  ///< of the weight draws and dropout masks
  double learning_rate = 0;
};

/// TrainingStep by fused kernels: the same step to rounding, in bfloat16 where asked, and on a GPU
/// replayed as one graph from the fourth full batch on, in which passes run side by side where
/// memory allows. Everything the step reads lies in tensors whose place does not change; what
/// differs from step to step is copied into them first.
class FusedStep {
 public:
  /// As TrainingStep; the optimiser must outlive it.
  FusedStep(Network& network, const StageOptions& options, const Objective& objective,
            const KlScale& kl_scale, at::Tensor class_weights, std::uint64_t seed,
            FlatSgd& optimiser, Precision precision);

  StepNumbers run(const Batch& batch, const StepOptions& step);

 private:
  struct Inputs {
    at::Tensor images;   ///< channels last, of the type of activations
    at::Tensor labels;   ///< int64
    at::Tensor samples;  ///< int64
  };

  Network& network_;
  StageOptions options_;
  const Objective& objective_;
  KlScale kl_scale_;
  at::Tensor class_weights_;
  std::uint64_t seed_;
  ComputeSettings compute_;
  FlatSgd& optimiser_;
  FusedWeights weights_;
  DeviceGraph graph_;
  DeviceBranches branches_;  ///< one for each pass
  at::Tensor statistics_;    ///< [passes, buffers]: batch norms' of this batch
  Inputs inputs_;
  at::Tensor scalars_;  ///< float32: learning rate, then the objective's
  at::Tensor packed_;   ///< what pack_terms gave
  int full_batches_ = 0;
  double share_kept_ =
      0;  ///< of the device's memory, between the two ways: the most of an eager step
  FusedWeights::Addresses captured_;  ///< of the gradients in the captured step

  void place(const Batch& batch);
  void set_scalars(const StepOptions& step);
  void work();
  void replay();
  void for_each_pass(const std::function<void(std::size_t)>& work);
  at::Tensor forward(std::size_t pass) const;
  void move_statistics();
};

}  // namespace cubcal
